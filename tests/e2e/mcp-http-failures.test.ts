// MCP servers at addresses that answer something else, or nothing: one sentence says which address, what it answered, and what to do.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { lacksLevel } from "../support/needs.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;

interface Answering {
  readonly answer: RequestListener;
  /** What is said behind the address; before it, if nobody answers. */
  readonly said: string;
}

const answering =
  (status: number, type: string, words: string): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": type }).end(words);

const ANSWERS: Readonly<Record<string, Answering>> = {
  "one without such a path": {
    answer: answering(
      404,
      "text/html",
      "<html><head><style>p { }</style></head><h1>Not Found</h1>\n<p>Sorry.</p></html>",
    ),
    said: 'answered HTTP 404: "Not Found Sorry.". Check the path: it often is /mcp',
  },
  "one that says nothing": {
    answer: answering(404, "text/plain", ""),
    said: "answered HTTP 404 without a word. Check the path: it often is /mcp",
  },
  "one with a fault": {
    answer: answering(500, "text/plain", `database is locked ${"x".repeat(100_000)}`),
    said: `answered HTTP 500: "database is locked ${"x".repeat(141)}…". The fault is the server's: look into its log`,
  },
  "a gateway": {
    answer: answering(502, "text/plain", "indus: no"),
    said: `answered HTTP 502: "indus: no". The fault is the server's: look into its log`,
  },
  "one that refuses": {
    answer: answering(403, "application/json", '{"error":"no key"}'),
    said: 'answered HTTP 403: "{"error":"no key"}". It refuses: it may want a token (in a manifest.toml, [run.headers]) or another host name',
  },
  "a page": {
    answer: answering(200, "text/html; charset=utf-8", "<!doctype html><title>Shop</title><h1>Welcome</h1>"),
    said: 'answered with text/html, not as an MCP server: "Shop Welcome". Check the address: its path often is /mcp',
  },
};

async function listening(
  answer: RequestListener,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}

/** What is wrong with what was added from there. */
async function wrongOf(url: string): Promise<string> {
  const { stdout } = await createSharedWorkplace().run(["add", url, "--yes"], { env: { COLUMNS: "2000" } });
  const lines = stdout.split("\n").flatMap((line) => / wrong +│ (.*)$/.exec(line)?.[1] ?? []);
  return lines.join(" ");
}

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))("an address", () => {
  it.each(rows(Object.entries(ANSWERS), theFirst))("of %s says so", async (_, { answer, said }) => {
    const { url } = await listening(answer);
    expect(await wrongOf(url)).toContain(`${url} ${said}`);
  });

  it("where nobody listens says so", async () => {
    const { url, close } = await listening(() => undefined);
    close();
    const said = await wrongOf(url);
    expect(said).toContain(`nobody answered at ${url} (connect ECONNREFUSED `);
    expect(said).toContain("): is the server running there?");
  });

  it("that wants a login names the server in the command to log in with", async () => {
    const { url } = await listening(answering(401, "text/plain", "who are you?"));
    expect(await wrongOf(url)).toContain("the server wants a login: indus mcp login local");
  });
});
