// Where the answer of an authorization server comes to: a port of this machine, for one login.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const WAIT_MS = 5 * 60 * 1_000;

/** A login that is under way. */
export interface Callback {
  readonly redirectUrl: string;
  readonly state: string;
  /** Rejects if the person is refused, or does not come in time. */
  readonly answer: Promise<{ readonly code: string; readonly iss: string | undefined }>;
  readonly close: () => void;
}

/** Listens until `close`. What does not carry its state belongs to nobody, and is refused. */
export async function openCallback(): Promise<Callback> {
  const state = randomUUID();
  let settle: {
    readonly with: (code: Awaited<Callback["answer"]>) => void;
    readonly fail: (why: Error) => void;
  };
  const answer = new Promise<Awaited<Callback["answer"]>>((resolve, reject) => {
    settle = { with: resolve, fail: reject };
  });
  answer.catch(() => undefined); // whoever waits for it hears it
  const server = createServer((request, response) => {
    // Anybody on this machine can ask for anything, such as `//`, which is no address.
    const { pathname, searchParams } = URL.parse(request.url ?? "/", "http://127.0.0.1") ?? {};
    if (pathname !== "/callback" || searchParams?.get("state") !== state)
      return void response.writeHead(404).end("This is not the address of the login that indus waits for.\n");
    const code = searchParams.get("code");
    response.writeHead(200, { "content-type": "text/plain" });
    response.end("You can close this window and go back to indus.\n");
    if (code === null)
      settle.fail(
        new Error(searchParams.get("error_description") ?? searchParams.get("error") ?? "no code came"),
      );
    else settle.with({ code, iss: searchParams.get("iss") ?? undefined });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const timer = setTimeout(() => settle.fail(new Error("nobody logged in within 5 minutes")), WAIT_MS);
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    state,
    answer,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
