// An MCP server that asks the session's model, through the real command: only with the grant, of its own texts alone, logged, priced, said
// and bounded.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

const GRANT = '[[capability]]\nkind = "sampling"\nreason = "sums up"\n';
const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "srv"];
/** In each answer of the script; by this price one cent and a half. */
const USAGE = { input: 1_000, output: 100 };
const REPLY = 0.015;
const ASKS = {
  systemPrompt: "Be short.",
  messages: [
    { role: "user", content: { type: "text", text: "Sum up the notes." } },
    { role: "assistant", content: { type: "text", text: "Which?" } },
    { role: "user", content: { type: "text", text: "These." } },
  ],
  maxTokens: 100_000,
  temperature: 0.5,
  includeContext: "allServers",
};

/** Its one tool asks `times` times, one after the other, and answers with what it was answered; it says what it knows of the client. */
const SERVER = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const waiting = new Map();
let last = 0;
const ask = (params) => new Promise((answer) => {
  waiting.set("s" + ++last, answer);
  send({ id: "s" + last, method: "sampling/createMessage", params });
});
let capabilities;
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? error);
  if (method === "initialize") {
    capabilities = params.capabilities;
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  }
  if (method === "tools/list") return send({ id, result: { tools: [{ name: "asks", inputSchema: { type: "object" } }] } });
  if (method === "tools/call") {
    const answers = [];
    for (let time = 0; time < params.arguments.times; time++) answers.push(await ask(params.arguments.params));
    return send({ id, result: { content: [{ type: "text", text: JSON.stringify({ sampling: capabilities.sampling, answers }) }] } });
  }
  if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
});
`;

interface Asked {
  readonly sampling?: object;
  readonly answers: readonly Readonly<Record<string, unknown>>[];
}

/** A session whose model calls the tool once; what it is asked by the server, it answers with "A sum." */
async function asked(more: string, args: object, flags: readonly string[] = []) {
  let turns = 0;
  const place = await createServedShared(({ rawBody }) => {
    if (!rawBody.includes('"tools"')) return { text: "A sum.", usage: USAGE };
    return turns++ === 0
      ? { calls: [{ name: "mcp__srv__asks", input: args }], usage: USAGE }
      : { text: "Done.", usage: USAGE };
  });
  writeFileSync(
    join(place.home, "models.json"),
    JSON.stringify({ models: { "anthropic/scripted": { price: { input: 10, output: 50 } } } }),
  );
  place.file(".indus/addons/srv/manifest.toml", `${serverManifest("srv", ["node", "server.mjs"])}\n${more}`);
  place.file(".indus/addons/srv/server.mjs", SERVER);
  const { stderr } = await place.run(["-p", "a word of the conversation", ...FLAGS, ...flags]);
  const [call] = place.entries().filter((entry) => entry.type === "tool");
  return { place, stderr, ...(JSON.parse(call?.text ?? "{}") as Asked) };
}

const samplesOf = (place: ServedWorkplace) => place.entries().filter((entry) => entry.type === "sample");
const endOf = (place: ServedWorkplace) => place.entries().findLast((entry) => entry.type === "end");

describe("with the grant", () => {
  it("the model answers the server's own texts, which the log has with their price, and the person hears of", async () => {
    const { place, stderr, sampling, answers } = await asked(GRANT, { times: 1, params: ASKS });
    expect([sampling, answers]).toEqual([
      {},
      [
        {
          role: "assistant",
          content: { type: "text", text: "A sum." },
          model: "anthropic/scripted",
          stopReason: "endTurn",
        },
      ],
    ]);
    const own = place.server.requests
      .map(({ rawBody }) => rawBody)
      .filter((body) => !body.includes('"tools"'));
    expect(own).toHaveLength(1);
    const body = JSON.parse(own[0] ?? "{}") as { readonly max_tokens: number; readonly temperature: number };
    expect([body.max_tokens, body.temperature]).toEqual([4_096, 0.5]);
    for (const text of ["Be short.", "Sum up the notes.", "Which?", "These."]) expect(own[0]).toContain(text);
    for (const text of ["a word of the conversation", "mcp__srv__asks"]) expect(own[0]).not.toContain(text);
    expect(samplesOf(place)).toEqual([
      expect.objectContaining({
        feature: "project:srv",
        by: "anthropic/scripted",
        asked: "Be short.\n\nuser: Sum up the notes.\n\nassistant: Which?\n\nuser: These.",
        text: "A sum.",
        cost: REPLY,
      }),
    ]);
    expect(endOf(place)).toMatchObject({ cost: 3 * REPLY });
    expect(stderr).toContain("project:srv used anthropic/scripted: 1000 tokens in, 100 out, for $0.01");
    expect((await place.run(["session", "verify"])).code).toBe(0);
    const cost = await place.run(["-c", ...FLAGS.slice(0, 2)], { stdin: "/cost\n" });
    expect(cost.stdout).toContain("anthropic/scripted  3 calls  3.0k tokens in, 300 out  $0.04");
    expect((await place.run(["usage"])).stdout).toMatch(/ 3 {2}3\.0k .*\$0\.04/);
  });

  it("ten answers a call are all, and what is no text is not asked", LONG_ONLY, async () => {
    const { place, answers } = await asked(GRANT, { times: 12, params: ASKS });
    const late = { message: expect.stringContaining("at most 10 answers during a call") };
    expect(answers.slice(9)).toEqual([
      expect.objectContaining({ role: "assistant" }),
      expect.objectContaining(late),
      expect.objectContaining(late),
    ]);
    expect(samplesOf(place)).toHaveLength(10);
    const picture = {
      messages: [{ role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } }],
      maxTokens: 5,
    };
    expect((await asked(GRANT, { times: 1, params: picture })).answers).toEqual([
      { code: -32602, message: expect.stringContaining('a message for the model is text, found "image"') },
    ]);
  });

  it("the limit of what a run may cost is one for all", LONG_ONLY, async () => {
    const { place, answers } = await asked(GRANT, { times: 5, params: ASKS }, ["--max-cost", "0.04"]);
    expect(answers.map(({ role, message }) => role ?? message)).toEqual([
      "assistant",
      "assistant",
      ...Array.from({ length: 3 }, () => expect.stringContaining("the limit of this run is $0.04")),
    ]);
    expect(samplesOf(place)).toHaveLength(2);
  });
});

it("without the grant no model is asked, which is said once with the way to it (twin)", async () => {
  const { place, stderr, sampling, answers } = await asked("", { times: 2, params: ASKS });
  expect([sampling, answers.map(({ code }) => code)]).toEqual([undefined, [-32601, -32601]]);
  expect(place.server.requests).toHaveLength(2);
  const said = /its server asks for sampling\/createMessage, which is refused: it may not use your model/g;
  expect([stderr.match(said)?.length, samplesOf(place)]).toEqual([1, []]);
  const log = readFileSync(join(place.home, "logs/addons/srv.log"), "utf8");
  expect(log).toContain("without the grant sampling (indus add --sampling)");
});

it(
  "the grant is asked for by name when the server is added, and the next version asks for it again",
  LONG_ONLY,
  async () => {
    const place = await createServedShared([]);
    place.file("server.mjs", SERVER);
    const add = ["add", "mcp:node ./server.mjs", "--name", "sums", "--yes"];
    const plain = await place.run(add);
    expect([plain.code, plain.stdout.includes("sampling")]).toEqual([0, false]);
    await place.run(["remove", "sums"]);
    const { code, stdout } = await place.run([...add, "--sampling"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("asks  │ sampling (optional): you granted it when you added it"),
    ]);
    expect(readFileSync(join(place.home, "packages.lock"), "utf8")).toContain('"sampling": true');
  },
);
