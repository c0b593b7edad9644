// Whatever a server writes, reading it ends in a reply or a fault, never in an exception.

import { describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import type { Correspondent } from "../model-faults.ts";
import { createSseReader } from "../sse.ts";
import type { WireReader } from "../wire-call.ts";
import { createChatReader } from "./chat/stream.ts";
import { createMessagesReader } from "./messages/stream.ts";

const whom: Correspondent = { id: "acme", url: new URL("https://acme.example/v1"), secrets: [] };
const READERS: readonly (readonly [string, () => WireReader])[] = [
  ["anthropic", () => createMessagesReader(whom, () => undefined)],
  ["openai-compatible", () => createChatReader(whom, () => undefined)],
];

// Events that look right at first: known names, values of any type.
const names = fc.constantFrom(
  ...[
    "type",
    "index",
    "delta",
    "content_block",
    "message",
    "usage",
    "error",
    "choices",
    "content",
    "tool_calls",
  ],
  ...[
    "function",
    "name",
    "id",
    "arguments",
    "text",
    "thinking",
    "signature",
    "partial_json",
    "finish_reason",
  ],
);
const values = fc.constantFrom(
  ...[
    "content_block_start",
    "content_block_delta",
    "message_start",
    "message_delta",
    "message_stop",
    "error",
  ],
  ...["text", "tool_use", "thinking", "text_delta", "input_json_delta", "stop", "__proto__"],
);
const { event } = fc.letrec((tie) => ({
  leaf: fc.oneof(values, fc.string(), fc.integer({ min: -1, max: 3 }), fc.constant(null), fc.boolean()),
  event: fc.dictionary(
    names,
    fc.oneof({ maxDepth: 4 }, tie("leaf"), tie("event"), fc.array(tie("event"), { maxLength: 3 })),
  ),
}));

describe.each(READERS)("%s", (_, create) => {
  test("no sequence of events throws", () => {
    const payload = fc.oneof(
      event.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 12 }), (payloads) => {
        const reader = create();
        for (const data of payloads) if (reader.read(data) !== undefined) break;
        const reply = reader.reply();
        if (reply && "usage" in reply) expect(reply.message.role).toBe("assistant");
      }),
      { numRuns: 500 },
    );
  });
});

const SAMPLES: readonly (readonly [string, () => WireReader, readonly unknown[]])[] = [
  [
    "anthropic",
    () => createMessagesReader(whom, () => undefined),
    [
      { type: "message_start", message: { usage: { input_tokens: 3 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "naïve 東京 😀" } },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "c", name: "read", input: {} },
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: '{"p":"é"}' },
      },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ],
  ],
  [
    "openai-compatible",
    () => createChatReader(whom, () => undefined),
    [
      { choices: [{ delta: { content: "naïve 東京 😀" } }] },
      {
        choices: [
          {
            delta: {
              tool_calls: [{ index: 0, id: "c", function: { name: "read", arguments: '{"p":"é"}' } }],
            },
          },
        ],
      },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } },
    ],
  ],
];

test.each(SAMPLES)("%s: an answer cut at every byte is the same answer", (_, create, events) => {
  const bytes = Buffer.from(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(""));
  const read = (...chunks: readonly Buffer[]): unknown => {
    const reader = create();
    const sse = createSseReader((data) => reader.read(data));
    for (const chunk of chunks) sse.feed(chunk);
    return reader.reply();
  };
  const whole = read(bytes);
  expect(whole).toMatchObject({
    message: { content: [{ text: "naïve 東京 😀" }, { name: "read", input: { p: "é" } }] },
    usage: { inputTokens: 3, outputTokens: 9 },
  });
  for (let at = 1; at < bytes.length; at++)
    expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
});
