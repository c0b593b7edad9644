// An MCP server that is reached over HTTP, without a sandbox: what the proxy lets through is in `granted-hosts.test`, what a server's
// program may do in tests/e2e/mcp-servers.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rows, theFirst } from "../../../../../../tests/support/long-form.ts";
import { DESCRIBE, startCommand, type TestRunner } from "../../../../../../tests/support/test-runner.ts";
import { bundledAddon, runnerFile } from "../runner-file.ts";

/** A server as the specification has it: one answer is JSON, the next a stream of events. */
async function serve(): Promise<{ readonly url: string; readonly asked: readonly IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer(async (request, answer) => {
    asked.push(request);
    const text = (await request.setEncoding("utf8").toArray()).join("");
    if (request.method !== "POST") return answer.writeHead(405).end();
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return answer.writeHead(202).end();
    const result = Object.hasOwn(odd, method) ? odd[method] : resultOf(method, params);
    const message = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result };
    const line = JSON.stringify({ jsonrpc: "2.0", id, ...message });
    if (method !== "tools/call")
      return answer.writeHead(200, { "content-type": "application/json" }).end(line);
    return answer
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`event: message\ndata: ${line}\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

function resultOf(
  method: string,
  params: { readonly protocolVersion?: string; readonly arguments?: object },
): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "far", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "echo", description: "Says it again.", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: JSON.stringify(params.arguments) }] };
    default:
      return undefined;
  }
}

/** What it answers in place of {@link resultOf}. */
let odd: Readonly<Record<string, unknown>> = {};

function start(url: string, env: Readonly<Record<string, string>> = {}): TestRunner {
  const addon = bundledAddon("mcp-addon");
  const server = { url, headers: { Authorization: `Bearer \${TOKEN}` } };
  const facts = JSON.stringify({ server, cwd: "/", startMs: 60_000 });
  return startCommand(
    [process.execPath, runnerFile("module-runner").path, addon, dirname(addon), "-", facts],
    {
      cwd: "/",
      env,
    },
  );
}

it("a server that is reached over HTTP is asked with its headers, and answers in either form", async () => {
  const { url, asked } = await serve();
  const runner = start(url, { TOKEN: "open-sesame" });
  expect(await runner.request("describe", { ...DESCRIBE, id: "far" })).toMatchObject({
    result: { tools: [{ name: "mcp__far__echo", description: "Says it again." }] },
  });
  const params = { name: "mcp__far__echo", callId: "1", args: { words: "hello" }, cwd: "/" };
  expect(await runner.request("tool", params)).toMatchObject({
    result: { content: [{ kind: "text", text: '{"words":"hello"}' }], isError: false },
  });
  expect(new Set(asked.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer open-sesame"]));
});

it("a server that cannot be reached is an error of its registration", async () => {
  const { error } = await start("http://127.0.0.1:1/mcp").request("describe", DESCRIBE);
  expect(error).toMatchObject({
    message: expect.stringContaining("nobody answered at http://127.0.0.1:1/mcp ("),
    data: { kind: "register" },
  });
});

it("of an answer over HTTP with malformed parts, only those parts are dropped", async () => {
  const { url } = await serve();
  odd = {
    initialize: { protocolVersion: "2025-11-25", capabilities: 5, serverInfo: { name: "far" } },
    "tools/list": { tools: [{ name: "bad" }, { name: "good", inputSchema: {} }], nextCursor: null },
    "tools/call": { content: [{ type: "video" }, { type: "text", text: "seen", annotations: 1 }] },
  };
  onTestFinished(() => {
    odd = {};
  });
  const runner = start(url);
  expect(await runner.request("describe", { ...DESCRIBE, id: "far" })).toMatchObject({
    result: { tools: [{ name: "mcp__far__good", parameters: { type: "object" } }] },
  });
  const call = await runner.request("tool", { name: "mcp__far__good", callId: "1", args: {}, cwd: "/" });
  expect(call).toMatchObject({
    result: { content: [{ text: '[content of the unknown type "video", not shown]' }, { text: "seen" }] },
  });
});

it.each(
  rows(
    [
      [{ "tools/list": {} }, "the server's answer to tools/list has no list of tools: it is missing"],
      [{ initialize: { protocolVersion: "2099-01-01" } }, "2099-01-01"],
      [{ initialize: "hello" }, /^[^[{]*$/],
    ],
    theFirst,
  ),
)("an answer that is not one of the protocol ends in an error in plain words: %j", async (answers, words) => {
  const { url } = await serve();
  odd = answers;
  onTestFinished(() => {
    odd = {};
  });
  const { error } = await start(url).request("describe", DESCRIBE);
  const { message } = error as { readonly message: string };
  expect(message).toMatch(words);
  expect(message).not.toMatch(/invalid_type|mcp-addon\.mjs/);
});
