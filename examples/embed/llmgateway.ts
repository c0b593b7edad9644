// `indusagi/llmgateway`: one way to every model. Here a recording answers, so that no key and no network is needed.

import assert from "node:assert/strict";
import {
  createCassettePlayer,
  createGateway,
  type ModelRequest,
  parseModelName,
  withRetry,
} from "indusagi/llmgateway";

const reply = { message: { role: "assistant", content: [{ kind: "text", text: "42" }] } };
const text = [
  { cassette: 1, about: "an answer" },
  { turn: 1, reply },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");
const provider = withRetry(createCassettePlayer({ source: { text } }));
const request: ModelRequest = {
  model: "recording",
  system: "Answer briefly.",
  tools: [],
  messages: [{ role: "user", content: [{ kind: "text", text: "What is the answer?" }] }],
  params: {},
};
const result = await provider.stream(request, {
  signal: AbortSignal.timeout(60_000),
  onDelta: () => undefined,
});
assert.ok(result.ok);
assert.deepEqual(result.reply.message.content, [{ kind: "text", text: "42" }]);

// A real one is found by its name; what is missing is said in one line.
assert.deepEqual(parseModelName("anthropic/claude-sonnet-4-5"), {
  provider: "anthropic",
  model: "claude-sonnet-4-5",
});
const found = createGateway({ env: {} }).resolve("nobody/nothing");
assert.ok(!found.ok);
assert.match(found.fault.message, /nobody/);
process.stdout.write("llmgateway: ok\n");
