// `indusagi/runtime`: the loop between a model and its tools. It owns no memory: the port does.

import assert from "node:assert/strict";
import type { Message, ModelProvider } from "indusagi/llmgateway";
import { type LoopPort, runLoop, type ToolBox, toolCallsOf } from "indusagi/runtime";

/** Asks for the sum, then says it. */
const provider: ModelProvider = {
  id: "scripted",
  stream: async ({ messages }) => {
    const sum = messages.find((message) => message.role === "tool")?.text;
    const block =
      sum === undefined
        ? { kind: "tool_call" as const, id: "call_1", name: "add", input: { a: 40, b: 2 } }
        : { kind: "text" as const, text: `It is ${sum}.` };
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const stop = sum === undefined ? "tool_calls" : "complete";
    return { ok: true, reply: { message: { role: "assistant", content: [block] }, stop, usage } };
  },
};

const tools: ToolBox = {
  descriptors: () => [{ name: "add", description: "Adds two numbers.", parameters: { type: "object" } }],
  runner: {
    run: async ({ id, input }) => {
      const { a, b } = input as { a: number; b: number };
      return { id, output: String(a + b), isError: false };
    },
  },
};

const messages: Message[] = [{ role: "user", content: [{ kind: "text", text: "How much is 40 and 2?" }] }];
const port: LoopPort = {
  prepareCall: async () => ({
    ok: true,
    provider,
    request: { model: "m", system: "", tools: tools.descriptors(), messages, params: {} },
  }),
  onDelta: () => undefined,
  commitReply: ({ message }) => {
    messages.push(message);
    return message;
  },
  onToolStart: () => undefined,
  commitOutcome: ({ id, name }, { output, isError }) =>
    void messages.push({ role: "tool", callId: id, name, text: String(output), isError }),
  commitSteering: () => false,
};
const end = await runLoop({ tools, port, signal: AbortSignal.timeout(60_000) });
assert.ok(end.kind === "complete");
assert.deepEqual(end.message.content, [{ kind: "text", text: "It is 42." }]);
assert.deepEqual(toolCallsOf(end.message), []);
process.stdout.write("runtime: ok\n");
