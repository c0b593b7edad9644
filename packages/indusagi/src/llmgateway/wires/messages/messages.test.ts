import { afterEach, describe, expect, test } from "vitest";
import {
  type ModelServer,
  type Script,
  startModelServer,
} from "../../../../../../tests/support/model-server.ts";
import type { Message, ModelParams, ModelRequest, ModelResult } from "../../contract.ts";
import { answerFields } from "./thinking.ts";
import { createMessagesProvider } from "./wire.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function serve(script: Script): Promise<ModelServer> {
  server = await startModelServer(script);
  return server;
}

const ask = (
  provider: ReturnType<typeof createMessagesProvider>,
  request: ModelRequest,
): Promise<ModelResult> =>
  provider.stream(request, { signal: new AbortController().signal, onDelta: () => undefined });

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const REQUEST: ModelRequest = {
  model: "claude-sonnet-4-5",
  system: "Be brief.",
  tools: [],
  messages: [user("hello")],
  params: {},
};

const MARK = { cache_control: { type: "ephemeral" } };

/** The body sent for `request`. */
async function bodyOf(request: ModelRequest): Promise<Readonly<Record<string, unknown>>> {
  const { url, requests } = await serve([{ text: "ok" }]);
  await ask(createMessagesProvider({ baseUrl: url, apiKey: "k" }), request);
  return requests[0]?.body ?? {};
}

test("a whole conversation is written in the form of the Messages API", async () => {
  const messages: Message[] = [
    {
      role: "user",
      content: [
        { kind: "text", text: "Look." },
        { kind: "image", mediaType: "image/png", data: "aGk=" },
        { kind: "text", text: " " },
      ],
    },
    {
      role: "assistant",
      content: [
        { kind: "thinking", text: "Hm.", provider: "anthropic", signature: "proof" },
        { kind: "thinking", text: "", provider: "anthropic", redacted: "sealed" },
        { kind: "thinking", text: "No proof.", provider: "anthropic" },
        { kind: "thinking", text: "Another's.", provider: "acme", signature: "x" },
        { kind: "text", text: "" },
        { kind: "text", text: "Two calls." },
        { kind: "tool_call", id: "c1", name: "read", input: { path: "a" } },
        {
          kind: "tool_call",
          id: "functions.read:2",
          name: "read",
          input: {},
          unparsed: "{",
          problem: "broken",
        },
      ],
    },
    { role: "tool", callId: "c1", name: "read", text: "A", isError: false },
    { role: "tool", callId: "functions.read:2", name: "read", text: "broken", isError: true },
    user("And now?"),
  ];
  const tools = [{ name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }];
  expect(
    await bodyOf({ ...REQUEST, messages, tools, params: { temperature: 0.5, maxOutputTokens: 100 } }),
  ).toEqual({
    model: "claude-sonnet-4-5",
    stream: true,
    max_tokens: 100,
    temperature: 0.5,
    tools: [{ name: "read", description: "Reads.", input_schema: { type: "object", properties: {} } }],
    system: [{ type: "text", text: "Be brief.", ...MARK }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" }, ...MARK },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "proof" },
          { type: "redacted_thinking", data: "sealed" },
          { type: "text", text: "Two calls." },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "functions_read_2", name: "read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "A" },
          { type: "tool_result", tool_use_id: "functions_read_2", content: "broken", is_error: true },
          { type: "text", text: "And now?", ...MARK },
        ],
      },
    ],
  });
});

test("the version segment of the base URL may be there or not", async () => {
  const { url, requests } = await serve(() => ({ text: "ok" }));
  for (const baseUrl of [url, `${url}/`, `${url}/v1`, `${url}/v1/`]) {
    expect(await ask(createMessagesProvider({ baseUrl, apiKey: "k" }), REQUEST)).toMatchObject({ ok: true });
  }
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(["/v1/messages"]));
});

test("two requests in a row share every byte of the older messages but the cache marks", async () => {
  const { url, requests } = await serve(() => ({ text: "ok" }));
  const provider = createMessagesProvider({ baseUrl: url, apiKey: "k" });
  const first: Message[] = [
    user("one"),
    { role: "assistant", content: [{ kind: "text", text: "two" }] },
    user("three"),
  ];
  const second: Message[] = [
    ...first,
    { role: "assistant", content: [{ kind: "text", text: "four" }] },
    user("five"),
  ];
  await ask(provider, { ...REQUEST, messages: first });
  await ask(provider, { ...REQUEST, messages: second });
  const [a = "", b = ""] = requests.map(({ rawBody }) => rawBody);
  const mark = ',"cache_control":{"type":"ephemeral"}';
  expect(a.endsWith(`{"role":"user","content":[{"type":"text","text":"three"${mark}}]}]}`)).toBe(true);
  const unmarked = (body: string): string => body.replaceAll(mark, "");
  expect(unmarked(b).startsWith(unmarked(a).slice(0, -"]}".length))).toBe(true);
  // The place where the first request was cached is marked in the second one, too.
  expect(b).toContain(`"three"${mark}`);
});

test("every mark asks for an hour where the person wants that, until a server refuses it", async () => {
  const { url, requests } = await serve((request) =>
    request.rawBody.includes('"ttl"')
      ? {
          trouble: {
            kind: "status",
            status: 400,
            message: "cache_control.ttl: Extra inputs are not permitted",
          },
        }
      : { text: "ok" },
  );
  const provider = createMessagesProvider({ baseUrl: url, apiKey: "k" });
  const remarks: string[] = [];
  const request = { ...REQUEST, cachesForAnHour: true };
  const how = { signal: new AbortController().signal, onDelta: () => undefined };
  const result = await provider.stream(request, { ...how, onRemark: (text) => remarks.push(text) });
  expect(result).toMatchObject({ ok: true });
  const [long = "", short = ""] = requests.map(({ rawBody }) => rawBody);
  expect(long.split('"cache_control":{"type":"ephemeral","ttl":"1h"}')).toHaveLength(3);
  expect(long.split('"cache_control"')).toHaveLength(3);
  expect(short).toBe(long.replaceAll(',"ttl":"1h"', ""));
  expect(remarks).toEqual([expect.stringContaining("does not support caching a prompt for an hour")]);
});

test("thinking whose proof no longer holds is left out for good, and the request made once more", async () => {
  const refusal =
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  const { url, requests } = await serve((request) =>
    request.rawBody.includes('"proof"')
      ? { trouble: { kind: "status", status: 400, message: refusal } }
      : { thinking: "new", text: "ok" },
  );
  const provider = createMessagesProvider({ baseUrl: url, apiKey: "k" });
  const stale: Message[] = [
    user("one"),
    {
      role: "assistant",
      content: [
        { kind: "thinking", text: "Hm.", provider: "anthropic", signature: "proof" },
        { kind: "text", text: "two" },
      ],
    },
    user("three"),
  ];
  const first = await ask(provider, { ...REQUEST, messages: stale });
  expect(first).toMatchObject({ ok: true });
  const reply = first.ok ? [first.reply.message] : [];
  expect(await ask(provider, { ...REQUEST, messages: [...stale, ...reply, user("five")] })).toMatchObject({
    ok: true,
  });
  expect(requests.map(({ rawBody }) => rawBody.includes('"proof"'))).toEqual([true, false, false]);
  expect(requests[2]?.rawBody).toContain('"sig-1"'); // a thought created since is sent back
});

test("any other refusal is not repeated", async () => {
  const { url, requests } = await serve([
    { trouble: { kind: "status", status: 400, message: "tools: too many" } },
  ]);
  const result = await ask(createMessagesProvider({ baseUrl: url, apiKey: "k" }), REQUEST);
  expect(result).toMatchObject({ ok: false, fault: { kind: "request" } });
  expect(requests).toHaveLength(1);
});

describe("what a stream may hold", () => {
  const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
  const play = async (...events: readonly unknown[]): Promise<ModelResult> => {
    const { url } = await serve([{ frames: events.map(event) }]);
    return ask(createMessagesProvider({ baseUrl: url, apiKey: "k" }), REQUEST);
  };
  const start = (index: number, content_block: unknown) => ({
    type: "content_block_start",
    index,
    content_block,
  });
  const delta = (index: number, change: unknown) => ({ type: "content_block_delta", index, delta: change });
  const STOP = { type: "message_stop" };

  test("redacted thinking, unknown blocks and events, blocks out of order", async () => {
    const result = await play(
      { type: "from_the_future" },
      start(1, { type: "text", text: "se" }),
      start(0, { type: "redacted_thinking", data: "sealed" }),
      start(2, { type: "server_tool_use", id: "s" }),
      delta(2, { type: "input_json_delta", partial_json: "{}" }),
      delta(1, { type: "text_delta", text: "en" }),
      delta(1, { type: "citations_delta", citation: {} }),
      STOP,
    );
    expect(result).toMatchObject({
      ok: true,
      reply: {
        message: {
          content: [
            { kind: "thinking", text: "", provider: "anthropic", redacted: "sealed" },
            { kind: "text", text: "seen" },
          ],
        },
      },
    });
  });

  test("a call sent whole, and one without arguments", async () => {
    const result = await play(
      start(0, { type: "tool_use", id: "c1", name: "read", input: { path: "a" } }),
      start(1, { type: "tool_use", id: "c2", name: "ls", input: {} }),
      STOP,
    );
    expect(result).toMatchObject({
      reply: {
        message: {
          content: [
            { id: "c1", input: { path: "a" } },
            { id: "c2", input: {} },
          ],
        },
      },
    });
  });

  test.each([
    ["end_turn", "complete"],
    ["stop_sequence", "complete"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "max_output"],
    ["model_context_window_exceeded", "max_output"],
    ["refusal", "refusal"],
    ["from_the_future", "complete"],
  ])("stop reason %s is %s", async (reason, stop) => {
    const result = await play(
      { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 3 } },
      STOP,
    );
    expect(result).toMatchObject({ ok: true, reply: { stop, usage: { outputTokens: 3 } } });
  });

  test("the tokens of thinking among those of the answer", async () => {
    const usage = { output_tokens: 30, output_tokens_details: { thinking_tokens: 21 } };
    const result = await play(
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_delta", delta: {}, usage: { output_tokens: 31 } },
      STOP,
    );
    expect(result).toMatchObject({ ok: true, reply: { usage: { outputTokens: 31, thinkingTokens: 21 } } });
  });

  test.each([
    ["a delta without its block", [delta(0, { type: "text_delta", text: "x" })]],
    ["a delta without its text", [start(0, { type: "text", text: "" }), delta(0, { type: "text_delta" })]],
    ["a block without an index", [{ type: "content_block_start", content_block: { type: "text" } }]],
    ["a call without a name", [start(0, { type: "tool_use", id: "c1" })]],
    ["an event of the other wire", [{ choices: [] }]],
  ])("%s breaks the format", async (_, events) => {
    expect(await play(...events, STOP)).toMatchObject({ ok: false, fault: { kind: "protocol" } });
  });
});

test.each<[string, ModelParams, unknown]>([
  ["claude-sonnet-4-5", {}, { max_tokens: 32_000 }],
  ["claude-sonnet-4-5", { thinking: "off", temperature: 0 }, { max_tokens: 32_000, temperature: 0 }],
  [
    "claude-sonnet-4-5",
    { thinking: "low", temperature: 0 },
    { max_tokens: 36_000, thinking: { type: "enabled", budget_tokens: 4_000 } },
  ],
  [
    "claude-haiku-4-5-20251001",
    { thinking: "max" },
    { max_tokens: 64_000, thinking: { type: "enabled", budget_tokens: 32_000 } },
  ],
  [
    "claude-opus-4-1",
    { thinking: "high", maxOutputTokens: 2_000 },
    { max_tokens: 22_000, thinking: { type: "enabled", budget_tokens: 20_000 } },
  ],
  ["claude-3-5-haiku", { thinking: "high", temperature: 1 }, { max_tokens: 8_192, temperature: 1 }],
  ["claude-opus-4-6", {}, { max_tokens: 64_000 }],
  [
    "claude-opus-4-8",
    { thinking: "medium", temperature: 1 },
    {
      max_tokens: 64_000,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "medium" },
    },
  ],
  ["claude-opus-4-8", { thinking: "off", temperature: 1 }, { max_tokens: 64_000 }],
  [
    "claude-opus-5-5",
    { thinking: "xhigh" },
    {
      max_tokens: 64_000,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "xhigh" },
    },
  ],
  [
    "claude-opus-4-6",
    { thinking: "xhigh" },
    {
      max_tokens: 64_000,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "high" },
    },
  ],
  ["claude-sonnet-5", { thinking: "off" }, { max_tokens: 64_000, thinking: { type: "disabled" } }],
  ["claude-sonnet-5-5", { thinking: "off" }, { max_tokens: 64_000, thinking: { type: "between_tools" } }],
  ["claude-opus-5-5", { thinking: "off" }, { max_tokens: 64_000, output_config: { effort: "low" } }],
  ["claude-opus-5-5", {}, { max_tokens: 64_000, thinking: { type: "adaptive", display: "summarized" } }],
  // The same models under other names: Bedrock's, Google Cloud's, and those of resellers.
  [
    "us.anthropic.claude-opus-5-5-v1:0",
    { thinking: "xhigh" },
    {
      max_tokens: 64_000,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "xhigh" },
    },
  ],
  [
    "anthropic/claude-sonnet-5.5",
    { thinking: "off" },
    { max_tokens: 64_000, thinking: { type: "between_tools" } },
  ],
  [
    "anthropic/claude-sonnet-4.5",
    { thinking: "low" },
    { max_tokens: 36_000, thinking: { type: "enabled", budget_tokens: 4_000 } },
  ],
  [
    "claude-sonnet-4@20250514",
    { thinking: "low" },
    { max_tokens: 36_000, thinking: { type: "enabled", budget_tokens: 4_000 } },
  ],
  [
    "claude-quartet-7",
    { thinking: "max" },
    {
      max_tokens: 8_192,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "max" },
    },
  ],
  [
    "another-model",
    { thinking: "low" },
    { max_tokens: 8_192, thinking: { type: "enabled", budget_tokens: 4_000 } },
  ],
])("%s asked with %o", (model, params, fields) => {
  expect(answerFields("anthropic", model, params)).toEqual(fields);
});

test.each([
  ["claude-haiku-4-5-20251001", "high", "own-beta,interleaved-thinking-2025-05-14"],
  ["claude-haiku-4-5", "off", "own-beta"],
  ["claude-sonnet-4-20250514", "high", "own-beta,interleaved-thinking-2025-05-14"],
  ["claude-opus-4-6", "high", "own-beta"], // interleaves without being asked
  ["claude-sonnet-5-5", "high", "own-beta"],
] as const)(
  "%s at %s is asked to think between its calls where it must be",
  async (model, thinking, expected) => {
    const server = await serve([{ text: "ok" }]);
    const headers = { "anthropic-beta": "own-beta" };
    const provider = createMessagesProvider({ baseUrl: server.url, headers });
    const said = { role: "user", content: [{ kind: "text", text: "hello" }] } as const;
    await provider.stream(
      { model, system: "", tools: [], messages: [said], params: { thinking } },
      { signal: new AbortController().signal, onDelta: () => undefined },
    );
    expect(server.requests[0]?.headers["anthropic-beta"]).toBe(expected);
  },
);
