// Where the answer of an authorization server comes to: a port of this machine, for one login.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { deferred } from "indusagi/core";

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
  const answer = deferred<Awaited<Callback["answer"]>>();
  answer.promise.catch(() => undefined); // whoever waits for it hears it
  const server = createServer((request, response) => {
    // Anybody on this machine can ask for anything, such as `//`, which is no address.
    const { pathname, searchParams } = URL.parse(request.url ?? "/", "http://127.0.0.1") ?? {};
    if (pathname !== "/callback" || searchParams?.get("state") !== state)
      return void response.writeHead(404).end("This is not the address of the login that indus waits for.\n");
    const code = searchParams.get("code");
    response.writeHead(200, { "content-type": "text/plain" });
    response.end("You can close this window and go back to indus.\n");
    if (code === null)
      answer.reject(
        new Error(searchParams.get("error_description") ?? searchParams.get("error") ?? "no code came"),
      );
    else answer.resolve({ code, iss: searchParams.get("iss") ?? undefined });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const timer = setTimeout(() => answer.reject(new Error("there was no login within 5 minutes")), WAIT_MS);
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    state,
    answer: answer.promise,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
