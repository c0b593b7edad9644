// What is said of the tools of an MCP server and of their cost, when it is added and afterwards, is what a session's first request has.

import { expect, it } from "vitest";
import type { Finished } from "../support/indus.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

const server = (count: number): string => `
import { createInterface } from "node:readline";
const fields = Object.fromEntries(["one", "two", "three"].map((name) => [name, { type: "string", description: "What is written there, in words." }]));
const tools = Array.from({ length: ${count} }, (_, at) => ({ name: "do_" + at, description: "Does the thing with the number " + at + ". ".repeat(40), inputSchema: { type: "object", properties: fields } }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const send = (message) => id !== undefined && process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...message }) + "\\n");
  if (method === "initialize") return send({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: "s", version: "1" } } });
  if (method === "tools/list") return send({ result: { tools } });
  send({ error: { code: -32601, message: "unknown" } });
});
`;

interface Definition {
  readonly name: string;
}

/** The definitions of the server's tools in the first request, and the text around them. */
function firstRequest({ server: { requests } }: ServedWorkplace): {
  readonly described: readonly Definition[];
  readonly system: string;
} {
  const body = requests[0]?.body as { readonly tools: readonly Definition[]; readonly system: unknown };
  return {
    described: body.tools.filter(({ name }) => name.startsWith("mcp__srv__")),
    system: JSON.stringify(body.system),
  };
}

const near = (count: number): object =>
  expect.toSatisfy((said: number) => Math.abs(said - count) <= count / 100, `within 1 % of ${count}`);

async function added(count: number): Promise<{ readonly place: ServedWorkplace; readonly stdout: string }> {
  const place = await createServedShared(() => ({ text: "Done." }));
  place.file("tools/server.mjs", server(count));
  const { code, stdout } = await place.run(["add", "mcp:node tools/server.mjs", "--name", "srv", "--yes"]);
  expect({ code, stdout }).toMatchObject({ code: 0 });
  await place.run(["-p", "go", "--model", "anthropic/scripted"]);
  return { place, stdout };
}

interface Row {
  readonly tools: readonly string[];
  readonly tokens: number;
  readonly isDeferred: boolean;
}

function rowIn({ stdout }: Finished): Row {
  return (JSON.parse(stdout) as { readonly servers: readonly [Row] }).servers[0];
}

it("of few tools it is the tokens of their definitions", async () => {
  const { place, stdout } = await added(5);
  const { described } = firstRequest(place);
  const bytes = described.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);
  expect(Number(/, about (\d+) tokens in each request\./.exec(stdout)?.[1])).toEqual(near(bytes / 4));
  const { tools, tokens, isDeferred } = rowIn(await place.run(["mcp", "--json"]));
  expect([tools, isDeferred]).toEqual([described.map(({ name }) => name), false]);
  expect(tokens).toEqual(near(bytes / 4));
  const addons = (await place.run(["addons"])).stdout;
  expect(Number(/^user:srv .* about (\d+) tokens in each request$/m.exec(addons)?.[1])).toEqual(
    near(bytes / 4),
  );
});

it("of many it is that they are listed by name, and loaded when needed", async () => {
  const { place, stdout } = await added(40);
  const { described, system } = firstRequest(place);
  expect(described).toEqual([]);
  const cost =
    /, (about \d+ tokens in each request: requests list 40 tools by name; definitions, about .* tokens together, are loaded when needed)\. To remove it/;
  const [, words] = cost.exec(stdout) ?? [];
  expect((await place.run(["show", "srv"])).stdout).toContain(`│ ${words}\n`);
  const { tools, isDeferred } = rowIn(await place.run(["mcp", "--json"]));
  expect([tools.length, isDeferred]).toEqual([40, true]);
  for (let at = 0; at < 40; at++) expect(system).toContain(`do_${at}\``);
  const addons = (await place.run(["addons"])).stdout;
  expect(addons).toMatch(/^user:srv .* ms, tools listed by name and loaded when needed$/m);
});
