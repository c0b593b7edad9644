// Answers in an older or looser form than the wire's own, from a server on loopback: each has its right value.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ModelDelta, ModelProvider, ModelResult } from "./contract.ts";
import { createChatProvider } from "./wires/chat/wire.ts";
import { geminiWire } from "./wires/gemini/wire.ts";
import { createMessagesProvider } from "./wires/messages/wire.ts";
import { responsesWire } from "./wires/responses/wire.ts";

const SSE = "text/event-stream";
const JSON_TYPE = "application/json";

interface Served {
  readonly result: ModelResult;
  readonly deltas: readonly ModelDelta[];
}

/** What a provider makes of `body`, sent byte by byte if `pieces` says so. */
async function answered(
  make: (baseUrl: string) => ModelProvider,
  type: string,
  body: string,
  pieces = body.length,
): Promise<Served> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": type });
      for (let at = 0; at < body.length; at += pieces) response.write(body.slice(at, at + pieces));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const provider = make(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  const deltas: ModelDelta[] = [];
  const result = await provider.stream(
    {
      model: "m",
      system: "",
      tools: [],
      messages: [{ role: "user", content: [{ kind: "text", text: "hi" }] }],
      params: {},
    },
    { signal: new AbortController().signal, onDelta: (delta) => deltas.push(delta) },
  );
  return { result, deltas };
}

const chat = (baseUrl: string) => createChatProvider({ id: "p", baseUrl });
const messages = (baseUrl: string) => createMessagesProvider({ id: "p", baseUrl, apiKey: "k" });
const responses = (baseUrl: string) => responsesWire.createProvider({ id: "p", baseUrl, apiKey: "k" });
const gemini = (baseUrl: string) => geminiWire.createProvider({ id: "p", baseUrl, apiKey: "k" });
const events = (...data: readonly unknown[]): string =>
  data.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`).join("");
const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ delta, finish_reason }],
});
const said = (content: unknown, stop = "complete") => ({
  ok: true,
  reply: { message: { role: "assistant", content }, stop },
});
const text = (value: string) => [{ kind: "text", text: value }];

describe("a whole JSON answer where a stream was asked for", () => {
  const CHAT = {
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  };
  it.each([JSON_TYPE, SSE, "text/plain"])("on Chat Completions, as %s", async (type) => {
    const { result } = await answered(chat, type, JSON.stringify(CHAT));
    expect(result).toMatchObject(said(text("hello")));
    expect(result).toMatchObject({ reply: { usage: { inputTokens: 3, outputTokens: 1 } } });
  });

  it("with calls, and longer than an error may be", async () => {
    const call = (id: string, content: string) => ({
      id,
      type: "function",
      function: { name: "write", arguments: JSON.stringify({ content }) },
    });
    const long = "x".repeat(200_000);
    const message = { role: "assistant", content: null, tool_calls: [call("a", long), call("b", "y")] };
    const body = JSON.stringify({ choices: [{ message, finish_reason: "tool_calls" }] });
    const { result } = await answered(chat, JSON_TYPE, body);
    const asCall = (id: string, content: string) => ({
      kind: "tool_call",
      id,
      name: "write",
      input: { content },
    });
    expect(result).toMatchObject(said([asCall("a", long), asCall("b", "y")], "tool_calls"));
  });

  it("on Messages", async () => {
    const body = JSON.stringify({
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: "hello" },
        { type: "tool_use", id: "t", name: "read", input: { path: "a" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 5, output_tokens: 2 },
    });
    const { result } = await answered(messages, JSON_TYPE, body);
    const call = { kind: "tool_call", id: "t", name: "read", input: { path: "a" } };
    expect(result).toMatchObject(said([...text("hello"), call], "tool_calls"));
  });

  it("on Responses", async () => {
    const body = JSON.stringify({
      object: "response",
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hello" }] }],
    });
    expect((await answered(responses, JSON_TYPE, body)).result).toMatchObject(said(text("hello")));
  });

  it("on Gemini's wire", async () => {
    const body = JSON.stringify({
      candidates: [{ content: { parts: [{ text: "hello" }] }, finishReason: "STOP" }],
    });
    expect((await answered(gemini, JSON_TYPE, body)).result).toMatchObject(said(text("hello")));
  });

  it.each([JSON_TYPE, SSE])("an error with status 200 as %s is told in the server's words", async (type) => {
    const body = JSON.stringify({ error: { message: "the model is loading", type: "unavailable" } });
    for (const make of [chat, messages, responses, gemini]) {
      const { result } = await answered(make, type, body);
      expect(result).toMatchObject({
        ok: false,
        fault: { message: expect.stringContaining("the model is loading") },
      });
    }
  });

  it("other JSON, or HTML, is no answer", async () => {
    for (const body of ['{"status":"ok"}', "<html>login</html>", "[]", "{}"])
      for (const make of [chat, messages, responses, gemini])
        expect((await answered(make, JSON_TYPE, body)).result).toMatchObject({ ok: false });
  });
});

it("a call in the form from before there could be several", async () => {
  const { result } = await answered(
    chat,
    SSE,
    events(
      chunk({ role: "assistant", content: null, function_call: { name: "read", arguments: "" } }),
      chunk({ function_call: { arguments: '{"path":' } }),
      chunk({ function_call: { arguments: '"a"}' } }),
      chunk({}, "function_call"),
      "[DONE]",
    ),
  );
  expect(result).toMatchObject(
    said([{ kind: "tool_call", name: "read", input: { path: "a" } }], "tool_calls"),
  );
});

describe("thinking between tags in the text", () => {
  const thought = (value: string) => ({ kind: "thinking", text: value });
  const answer = (content: string) => events(chunk({ content }), chunk({}, "stop"), "[DONE]");
  it.each([
    ["before the answer", "<think>Hm.</think>\n\nDone.", [thought("Hm."), ...text("Done.")]],
    ["after blanks", "\n <think>\nHm.</think>Done.", [thought("\nHm."), ...text("Done.")]],
    ["without an answer", "<think>Hm.</think>", [thought("Hm.")]],
    ["never closed", "<think>Hm.", [thought("Hm.")]],
    ["that is empty", "<think></think>Done.", text("Done.")],
    ["later on is text", "Write <think>x</think> there.", text("Write <think>x</think> there.")],
    ["of another name is text", "<thinker>x", text("<thinker>x")],
    ["that has only begun is text", "<thi", text("<thi")],
  ])("%s", async (_, content, expected) => {
    expect((await answered(chat, SSE, answer(content))).result).toMatchObject(said(expected));
    const pieces = events(
      ...[...content].map((each) => chunk({ content: each })),
      chunk({}, "stop"),
      "[DONE]",
    );
    const { result, deltas } = await answered(chat, SSE, pieces, 7);
    expect(result).toMatchObject(said(expected));
    const shown = (kind: "text" | "thinking") =>
      deltas.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join("");
    const whole = (kind: string) =>
      expected.flatMap((each) => (each.kind === kind ? [each.text] : [])).join("");
    expect([shown("thinking"), shown("text")]).toEqual([whole("thinking"), whole("text")]);
  });
});

describe("a Messages answer whose connection ends without message_stop", () => {
  const start = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } };
  const stop = { type: "content_block_stop", index: 0 };
  const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } };
  it("is taken if its blocks are closed and it says why it stopped", async () => {
    expect((await answered(messages, SSE, events(start, delta, stop, end))).result).toMatchObject(
      said(text("hello")),
    );
  });
  it.each([
    ["a block is open", [start, delta, end]],
    ["no reason is given", [start, delta, stop]],
  ])("is cut if %s", async (_, sent) => {
    expect((await answered(messages, SSE, events(...sent))).result).toMatchObject({ ok: false });
  });
});
