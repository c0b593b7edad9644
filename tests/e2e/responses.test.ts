// OpenAI's current models over the Responses API, through the real command, against a server that refuses what the real one
// refuses.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import {
  type ResponsesServer,
  type ResponsesTurn,
  responsesRefusal,
  startResponsesServer,
} from "../support/responses-server.ts";

async function place(
  script: (index: number) => ResponsesTurn,
): Promise<Workplace & { readonly server: ResponsesServer }> {
  const server = await startResponsesServer(script);
  onTestFinished(() => server.close());
  return { ...createSharedWorkplace(server.url), server };
}

const READ = { name: "read", input: { path: "a.txt" } };

it.each(
  rows(
    [
      ["gpt-5.6-sol", "high", "high"],
      ["gpt-6.1-sol", "off", "low"], // it cannot be off
      ["gpt-6.2-sol", "off", "low"],
      ["gpt-6-astra", "max", "max"],
      ["gpt-5.5", "off", "none"],
      ["gpt-5.5", "max", "xhigh"],
    ],
    theFirst,
  ),
)("%s works with tools and thinking (%s is the effort %s)", async (model, level, effort) => {
  const { run, file, server, entries } = await place((index) =>
    index === 0 ? { thinking: "I look.", calls: [READ, READ] } : { thinking: "I saw.", text: "done" },
  );
  file("a.txt", "the text\n");
  const args = ["-p", "--model", `openai/${model}`, "--thinking", level, "look"];
  expect(await run(args)).toMatchObject({ code: 0, stdout: "done\n" });
  expect(server.refusals).toEqual([]); // not one request in vain
  expect(server.bodies).toHaveLength(2);
  const [first, second] = server.bodies;
  expect(first).toMatchObject({ store: false, parallel_tool_calls: true, reasoning: { effort } });
  expect(second?.prompt_cache_key).toBe(first?.prompt_cache_key);
  expect(second?.input).toMatchObject([
    { role: "user" },
    { type: "reasoning", id: "rs_1", encrypted_content: "proof-1", summary: [{ text: "I look." }] },
    { type: "function_call", call_id: "call_1_0", name: "read", arguments: '{"path":"a.txt"}' },
    { type: "function_call", call_id: "call_1_1" },
    { type: "function_call_output", call_id: "call_1_0" },
    { type: "function_call_output", call_id: "call_1_1" },
  ]);
  const usage = { inputTokens: 40, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 0 };
  expect(entries().filter(({ type }) => type === "assistant")).toMatchObject([{ usage }, { usage }]);
});

it(
  "reads at least 93 % of fifty turns from the cache, also when the session goes on",
  LONG_ONLY,
  async () => {
    const { run, file, server } = await place((index) =>
      index % 51 < 50 ? { thinking: `Step ${index}.`, calls: [READ] } : { text: "done" },
    );
    file("a.txt", "a line of text that is read\n".repeat(30));
    const args = ["-p", "--model", "openai/gpt-5.6-sol"];
    expect((await run([...args, "read it often"])).code).toBe(0);
    expect(server.bodies).toHaveLength(51);
    expect(server.cache.read / server.cache.total).toBeGreaterThan(0.93);
    const before = { ...server.cache };
    expect((await run([...args, "-c", "and again"])).code).toBe(0);
    expect(server.bodies).toHaveLength(102);
    const again = (server.cache.read - before.read) / (server.cache.total - before.total);
    expect(again).toBeGreaterThan(0.93);
    expect(server.refusals).toEqual([]);
  },
);

it("a server that knows Chat Completions alone is asked there", async () => {
  const chat = await startModelServer([{ text: "done" }]);
  onTestFinished(() => chat.close());
  const { run } = createSharedWorkplace(chat.url);
  expect(await run(["-p", "--model", "openai/gpt-5.5", "hello"])).toMatchObject({
    code: 0,
    stdout: "done\n",
  });
  expect(chat.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
});

it("the twin: the server refuses what it should", () => {
  const body = { model: "gpt-5.5", store: false, input: [{ role: "user", content: [] }] };
  expect(responsesRefusal(body)).toBeUndefined();
  expect(responsesRefusal({ ...body, messages: [] })).toContain("Unknown parameter");
  expect(responsesRefusal({ ...body, reasoning: { effort: "max" } })).toContain("Unsupported value");
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
  expect(responsesRefusal({ ...body, input: [...body.input, thought] })).toContain(
    "without its required following item",
  );
  const call = { type: "function_call", call_id: "c", name: "n", arguments: "{}" };
  expect(responsesRefusal({ ...body, input: [...body.input, call] })).toContain("No tool output found");
});

it.each(
  rows(
    [
      ["chat", "gpt-5.6-sol"],
      [undefined, "gpt-5.6-sol"],
      [undefined, "a-deployment-of-mine"],
    ],
    theFirst,
  ),
)(
  "a server that has Chat Completions alone, and no tools beside thinking there (%s, %s)",
  async (wire, model) => {
    const server = await startModelServer(({ body }) =>
      body.reasoning_effort === "none"
        ? { text: "done" }
        : {
            trouble: {
              kind: "status",
              status: 400,
              message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. Please use /v1/responses instead.`,
            },
          },
    );
    onTestFinished(() => server.close());
    const place = createSharedWorkplace("http://127.0.0.1:9");
    const row = {
      ...(wire === undefined ? {} : { wire }),
      baseUrl: `${server.url}/v1`,
      apiKey: "key-of-mine-1234",
    };
    writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { mine: row } }));
    const run = await place.run(["-p", "--model", `mine/${model}`, "--thinking", "high", "go"]);
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(run.stderr).toContain("does not support thinking with tools over Chat Completions");
  },
);
