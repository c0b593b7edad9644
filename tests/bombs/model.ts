// What a model's server sends: the framing, each wire's events, the arguments of calls, and refusals; and recordings of all that.

import { editTool } from "../../packages/indusagi/src/capabilities/files/edit.ts";
import { coerceInput } from "../../packages/indusagi/src/capabilities/kernel/define-tool.ts";
import { compileSchema } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { CassetteError, parseCassette } from "../../packages/indusagi/src/llmgateway/cassette-format.ts";
import type { ModelDelta } from "../../packages/indusagi/src/llmgateway/contract.ts";
import { holdsExchanges, parseExchanges } from "../../packages/indusagi/src/llmgateway/exchange-format.ts";
import { HTTP_LIMITS } from "../../packages/indusagi/src/llmgateway/http-stream.ts";
import { type Correspondent, faultOfAnswer } from "../../packages/indusagi/src/llmgateway/model-faults.ts";
import { readTokenAnswer } from "../../packages/indusagi/src/llmgateway/oauth/token-request.ts";
import { createSseReader } from "../../packages/indusagi/src/llmgateway/sse.ts";
import { parseToolArguments } from "../../packages/indusagi/src/llmgateway/tool-arguments.ts";
import type { WireReader } from "../../packages/indusagi/src/llmgateway/wire-call.ts";
import { createChatReader } from "../../packages/indusagi/src/llmgateway/wires/chat/stream.ts";
import { createGeminiReader } from "../../packages/indusagi/src/llmgateway/wires/gemini/stream.ts";
import { createMessagesReader } from "../../packages/indusagi/src/llmgateway/wires/messages/stream.ts";
import { createResponsesReader } from "../../packages/indusagi/src/llmgateway/wires/responses/stream.ts";
import { around, type Bombs, DEEP, each, JSONS, MANY, noises, RUNS, rows, run, SIZE } from "./make.ts";
import { ofTexts, type Parser } from "./parser.ts";

const WHOM: Correspondent = {
  id: "table",
  url: new URL("http://localhost:1/v1"),
  secrets: ["canary-key-5f3a9c"],
};
const CHUNK = 1_400; // as a network cuts it

/** Feeds a stream as it comes from a socket, and writes the reply as the log does. */
function readStream(create: (whom: Correspondent, onDelta: (delta: ModelDelta) => void) => WireReader) {
  return (stream: string): unknown => {
    const reader = create(WHOM, (delta) => void JSON.stringify(delta));
    let said: unknown;
    const events = createSseReader((data) => {
      if (said === undefined) said = reader.read(data);
    });
    const bytes = Buffer.from(stream);
    for (let at = 0; at < bytes.length && (said === undefined || said === "done"); at += CHUNK)
      if (!events.feed(bytes.subarray(at, at + CHUNK))) return "an event is too long";
    if (typeof said === "object") return (said as { readonly message: string }).message;
    const reply = reader.reply();
    if (reply === undefined) return "cut";
    if ("kind" in reply) return reply.message;
    JSON.stringify(JSON.parse(JSON.stringify(reply)));
    return undefined;
  };
}

const event = (data: string): string => `data: ${data}\n\n`;
const events = (...all: readonly string[]): string => all.map(event).join("");
/** In as many events as there are pieces. */
const stream = (count: number, make: (at: number) => string, ...ends: readonly string[]): string =>
  rows(count, (at) => event(make(at)), "") + events(...ends);
const lists = around("[", "", "]");
const objects = around('{"a":', "1", "}");
const long = run("a");

const FRAMES: Bombs = {
  ...each(JSONS, event, "an event: "),
  "a line of data without end": () => `data: ${long}`,
  "a line without a colon": () => long,
  "lines of data": () => `${rows(MANY, () => "data: a")}\n\n`,
  "empty lines of data": () => `${rows(MANY, () => "data")}\n\n`,
  "events without data": () => rows(MANY, () => "event: a\n", "\n"),
  "names of events": () => `${rows(MANY, () => "event: a")}\ndata: {}\n\n`,
  "ids of events": () => rows(MANY, (at) => `id: ${at}`),
  "a long id": () => `id: ${long}\ndata: {}\n\n`,
  "waits before another try": () => rows(MANY, () => `retry: 99999999999999999999`),
  comments: () => rows(MANY, () => ":"),
  "a long comment": () => `:${long}\n`,
  "unknown fields": () => rows(MANY, () => "a: b"),
  "error fields": () => rows(MANY, () => "error: b"),
  "an error field of much": () => `error: ${long}\n`,
  "a deep error field": () => `error: ${objects}\n`,
  "colons alone": () => run(":"),
  ...each(RUNS, (text) => `data: ${text}\n\n`, "in an event: "),
  ...RUNS,
};

const CHAT_TOOL = (index: unknown, rest: string): string =>
  `{"choices":[{"delta":{"tool_calls":[{"index":${index},${rest}}]}}]}`;
const CHAT: Bombs = {
  ...each(JSONS, (json) => events(json, '{"choices":[{"finish_reason":"stop"}]}', "[DONE]"), "an event: "),
  ...each(
    JSONS,
    (json) =>
      events(
        CHAT_TOOL(0, `"id":"c","function":{"name":"read","arguments":${JSON.stringify(json)}}`),
        '{"choices":[{"finish_reason":"tool_calls"}]}',
      ),
    "arguments: ",
  ),
  "arguments that are deep and no text": () =>
    events(CHAT_TOOL(0, `"id":"c","function":{"name":"read","arguments":${objects}}`), "[DONE]"),
  "a proof that is deep": () =>
    events(
      CHAT_TOOL(0, `"id":"c","extra_content":{"a":${lists}},"function":{"name":"read","arguments":"{}"}`),
      "[DONE]",
    ),
  "details of thinking that are deep": () =>
    events(
      `{"choices":[{"delta":{"reasoning_details":[{"type":"a","index":0,"data":${lists}}]}}]}`,
      "[DONE]",
    ),
  "many details of thinking": () =>
    stream(
      MANY / 4,
      (at) => `{"choices":[{"delta":{"reasoning_details":[{"type":"a","index":${at},"text":"a"}]}}]}`,
      "[DONE]",
    ),
  "details of thinking in pieces": () =>
    stream(
      MANY / 4,
      () => '{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"a"}]}}]}',
      "[DONE]",
    ),
  "usage that is deep": () => events(`{"choices":[],"usage":${objects}}`, "[DONE]"),
  "usage again and again": () =>
    stream(MANY / 4, (at) => `{"choices":[],"usage":{"prompt_tokens":${at},"a${at}":{"b":1}}}`, "[DONE]"),
  "content that is deep": () => events(`{"choices":[{"delta":{"content":${lists}}}]}`, "[DONE]"),
  "an error that is deep": () => events(`{"error":{"message":${lists}}}`),
  "an error of a choice that is deep": () =>
    events(`{"choices":[{"error":{"message":"a","metadata":{"raw":${objects}}}}]}`),
  "an error within an error": () =>
    events(`{"error":{"message":"a","metadata":{"raw":${JSON.stringify(objects)}}}}`),
  "errors that quote each other": () => {
    let raw = '{"error":{"message":"a"}}';
    for (let at = 0; at < 12; at++) raw = JSON.stringify({ error: { message: "a", metadata: { raw } } });
    return events(raw);
  },
  "a choice's error of markup": () => events(`{"error":"${run("<")}"}`),
  "an error of dots": () => events(`{"error":"a${run(".")}b"}`),
  "a call in pieces": () =>
    CHAT_STARTED + stream(MANY / 2, () => CHAT_TOOL(0, '"function":{"arguments":"a"}'), "[DONE]"),
  "a call whose name comes with each piece": () =>
    CHAT_STARTED +
    stream(
      MANY / 4,
      () => CHAT_TOOL(0, `"function":{"name":"read","arguments":"${"a".repeat(60)}"}`),
      "[DONE]",
    ),
  "a call whose other id comes with each piece": () =>
    CHAT_STARTED +
    stream(
      MANY / 4,
      (at) => CHAT_TOOL(0, `"id":"c${at}","function":{"name":"read","arguments":"${"a".repeat(60)}"}`),
      "[DONE]",
    ),
  "a long call whose name comes with each piece": () =>
    events(CHAT_TOOL(0, `"id":"c","function":{"name":"read","arguments":"{\\"a\\":\\"${long}"}`)) +
    stream(MANY / 4, () => CHAT_TOOL(0, '"function":{"name":"read","arguments":"a"}'), "[DONE]"),
  "calls without an index": () =>
    stream(MANY / 4, () => CHAT_TOOL("null", '"function":{"name":"read","arguments":"{}"}'), "[DONE]"),
  "calls of many indexes": () =>
    stream(MANY / 4, (at) => CHAT_TOOL(at, '"function":{"name":"read","arguments":"{}"}'), "[DONE]"),
  "calls that go on without names": () =>
    CHAT_STARTED + stream(MANY / 4, (at) => CHAT_TOOL(at + 1, '"function":{"arguments":"{"}'), "[DONE]"),
  "indexes that are no places": () =>
    stream(
      MANY / 4,
      (at) => CHAT_TOOL(["-1", "1e308", "0.5", "4294967296"][at % 4], '"function":{"name":"read"}'),
      "[DONE]",
    ),
  "calls in a call": () =>
    events(
      CHAT_TOOL(
        0,
        `"id":"c","function":{"name":"parallel","arguments":${JSON.stringify(`{"tool_uses":[${rows(MANY / 4, () => '{"recipient_name":"read","parameters":{}}', ",")}]}`)}}`,
      ),
      "[DONE]",
    ),
  "a word of the finish that is long": () => events(`{"choices":[{"finish_reason":"${long}"}]}`),
};
const CHAT_STARTED = event(CHAT_TOOL(0, '"id":"c","function":{"name":"read","arguments":"{\\"a\\":\\""}'));

const START = (at: unknown, block: string): string =>
  `{"type":"content_block_start","index":${at},"content_block":${block}}`;
const MESSAGES: Bombs = {
  ...each(JSONS, (json) => events(json, '{"type":"message_stop"}'), "an event: "),
  ...each(JSONS, (json) => events(json.replace("{", '{"type":"message_delta",')), "a delta: "),
  ...each(
    JSONS,
    (json) =>
      events(
        START(0, '{"type":"tool_use","id":"c","name":"read","input":{}}'),
        `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}}`,
        '{"type":"message_stop"}',
      ),
    "arguments: ",
  ),
  "input that is deep": () =>
    events(
      START(0, `{"type":"tool_use","id":"c","name":"read","input":${objects}}`),
      '{"type":"message_stop"}',
    ),
  "an error that is deep": () =>
    events(`{"type":"error","error":{"message":"a","metadata":{"raw":${objects}}}}`),
  "usage that is deep": () =>
    events(`{"type":"message_start","message":{"usage":${objects}}}`, '{"type":"message_stop"}'),
  "many blocks": () =>
    stream(MANY / 4, (at) => START(at, '{"type":"text","text":"a"}'), '{"type":"message_stop"}'),
  "blocks at no places": () =>
    stream(
      MANY / 4,
      (at) => START(["-1", "1e308", "0.5"][at % 3], '{"type":"text","text":"a"}'),
      '{"type":"message_stop"}',
    ),
  "one block again and again": () =>
    stream(MANY / 4, () => START(0, '{"type":"text","text":"a"}'), '{"type":"message_stop"}'),
  "a text in pieces": () =>
    event(START(0, '{"type":"text","text":""}')) +
    stream(
      MANY / 2,
      () => '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}',
      '{"type":"message_stop"}',
    ),
  "a signature in pieces": () =>
    event(START(0, '{"type":"thinking","thinking":""}')) +
    stream(
      MANY / 2,
      () => '{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"a"}}',
      '{"type":"message_stop"}',
    ),
  "a delta of a type that is deep": () =>
    events(START(0, '{"type":"text"}'), `{"type":"content_block_delta","index":0,"delta":{"type":${lists}}}`),
};

const GEMINI = (parts: string): string => `{"candidates":[{"content":{"parts":[${parts}]}}]}`;
const GEMINI_END = '{"candidates":[{"finishReason":"STOP"}]}';
const GEMINIS: Bombs = {
  ...each(JSONS, (json) => events(json, GEMINI_END), "an event: "),
  ...each(
    JSONS,
    (json) => events(GEMINI(`{"functionCall":{"name":"read","args":${json}}}`), GEMINI_END),
    "arguments: ",
  ),
  ...each(JSONS, (json) => events(`{"usageMetadata":${json}}`, GEMINI_END), "usage: "),
  "many parts": () => events(GEMINI(rows(MANY, () => '{"text":"a"}', ",")), GEMINI_END),
  "many calls": () =>
    events(GEMINI(rows(MANY / 4, () => '{"functionCall":{"name":"read"}}', ",")), GEMINI_END),
  "text and thought in turn": () =>
    events(GEMINI(rows(MANY, (at) => `{"text":"a","thought":${at % 2 === 0}}`, ",")), GEMINI_END),
  "many proofs": () => events(GEMINI(rows(MANY, () => '{"thoughtSignature":"a"}', ",")), GEMINI_END),
  "an error that is deep": () => events(`{"error":{"message":"a","metadata":{"raw":${objects}}}}`),
};

const RESPONSES_END = '{"type":"response.completed","response":{}}';
const RESPONSES: Bombs = {
  ...each(JSONS, (json) => events(json, RESPONSES_END), "an event: "),
  ...each(
    JSONS,
    (json) =>
      events(
        `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"read","arguments":${JSON.stringify(json)}}}`,
        RESPONSES_END,
      ),
    "arguments: ",
  ),
  ...each(
    JSONS,
    (json) => events(`{"type":"response.output_item.done","output_index":0,"item":${json}}`, RESPONSES_END),
    "an item: ",
  ),
  "an error that is deep": () => events(`{"type":"error","message":"a","metadata":${objects}}`),
  "a failure that is deep": () => events(`{"type":"response.failed","response":{"error":${objects}}}`),
  "an end of many items": () =>
    events(
      `{"type":"response.completed","response":{"output":[${rows(MANY / 4, () => '{"type":"message"}', ",")}]}}`,
    ),
  "many items": () =>
    stream(
      MANY / 4,
      (at) => `{"type":"response.output_text.delta","output_index":${at},"delta":"a"}`,
      RESPONSES_END,
    ),
  "items without places": () =>
    stream(MANY / 4, () => '{"type":"response.output_text.delta","delta":"a"}', RESPONSES_END),
  "a summary of many parts": () =>
    stream(
      MANY / 4,
      () => '{"type":"response.reasoning_summary_part.added","output_index":0}',
      RESPONSES_END,
    ),
};

const ANSWERS: Bombs = {
  ...JSONS,
  ...RUNS,
  "an error page of open tags": () => run("<a"),
  "an error page of styles": () => run("<style>"),
  "an error page of scripts in turn": () => run("<script><style>"),
  "a message of dots": () => `{"error":{"message":"a${run(".")}b"}}`,
  "a message of what overflows say": () => `{"error":{"message":"${run("prompt contains tokens ")}"}}`,
  "a message of counts": () => `{"error":{"message":"${run("input token count ")}"}}`,
  "a message of limits": () => `{"error":{"message":"${run("request too large for ")}"}}`,
  "a message of secrets": () => `{"error":{"message":"${run("canary-key-5f3a9c")}"}}`,
};
const STATUSES = [200, 302, 400, 413, 429, 500, 999];

function readAnswer(text: string): unknown {
  const body = text.slice(0, HTTP_LIMITS.maxErrorBytes);
  const headers = {
    location: body.slice(0, 16_000).replace(/[^ -~]/g, "?"),
    "retry-after": body.slice(0, 4_000),
  };
  const said = STATUSES.map((status) => faultOfAnswer(WHOM, { status, headers, body }).message);
  if (said.some((each) => /\n/.test(each))) throw new Error("a fault has several lines");
  return said.reduce((longest, each) => (each.length > longest.length ? each : longest));
}

const editParameters = editTool().parameters;

async function readArguments(text: string): Promise<unknown> {
  const parsed = parseToolArguments(text);
  for (const input of [parsed.input, coerceInput(text)]) {
    const problem = await (await compileSchema(editParameters))(input);
    JSON.stringify(input);
    if (problem !== undefined) return problem;
  }
  return parsed.problem;
}

const TAPE = '{"cassette":1,"about":"a"}\n';
const CASSETTES: Bombs = {
  ...each(JSONS, (json) => TAPE + json, "a turn: "),
  ...JSONS,
  ...each(
    JSONS,
    (json) =>
      `${TAPE}{"turn":1,"reply":{"message":{"role":"assistant","content":[{"kind":"tool_call","id":"c","name":"a","input":${json}}]}}}`,
    "input: ",
  ),
  "many turns": () =>
    TAPE + rows(MANY / 4, (at) => `{"turn":${at + 1},"reply":{"message":{"role":"assistant","content":[]}}}`),
  "blank lines": () => TAPE + run("\n"),
};

function parseExchangesOf(text: string): readonly unknown[] {
  try {
    return parseExchanges(text);
  } catch (error) {
    if (error instanceof CassetteError) return [];
    throw error;
  }
}

function readCassette(text: string): unknown {
  try {
    // The same bytes as a recording of exchanges: only the first line tells them apart.
    if (holdsExchanges(text)) return "exchanges";
    for (const exchange of parseExchangesOf(text)) JSON.stringify(exchange);
    for (const turn of parseCassette(text)) JSON.stringify(turn);
    return undefined;
  } catch (error) {
    if (error instanceof CassetteError) return error.message;
    throw error;
  }
}

function readToken(body: string): unknown {
  const fields = { refresh_token: "refresh-token-7f21", client_id: "a" };
  const read = [200, 400].map((status) => readTokenAnswer(status, body, { host: "localhost", fields }));
  return read.flatMap((answer) => (answer.ok ? [] : [answer.why])).join("; ") || undefined;
}

export const MODEL_PARSERS: readonly Parser[] = [
  ofTexts("event streams", FRAMES, readStream(createChatReader)),
  ofTexts("Chat Completions events", CHAT, readStream(createChatReader)),
  ofTexts("Messages events", MESSAGES, readStream(createMessagesReader)),
  ofTexts("Gemini events", GEMINIS, readStream(createGeminiReader)),
  ofTexts("Responses events", RESPONSES, readStream(createResponsesReader)),
  ofTexts("refusals of model servers", ANSWERS, readAnswer),
  ofTexts(
    "answers of token servers",
    {
      ...JSONS,
      ...RUNS,
      ...each(JSONS, (json) => `{"error":${json}}`, "an error: "),
      ...each(RUNS, (text) => JSON.stringify({ error: "e", error_description: text }), "words of an error: "),
      ...each(RUNS, (text) => JSON.stringify({ error: text }), "the name of an error: "),
    },
    readToken,
  ),
  ofTexts(
    "tool arguments",
    {
      ...JSONS,
      ...each(JSONS, (json) => `{"path":"a","oldText":"b","newText":${json}}`, "an argument: "),
      "a text that is a bag": () => `[${"[".repeat(DEEP)}${"]".repeat(DEEP)}]`,
      "as long as a frame": () => `{"path":"${"a".repeat(4 * SIZE)}"}`,
      ...noises('{}[]",:\\', 4),
    },
    readArguments,
  ),
  ofTexts("cassettes", CASSETTES, readCassette),
];
