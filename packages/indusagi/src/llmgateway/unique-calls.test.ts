import { expect, onTestFinished, test, vi } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { createIssued, REFUSALS } from "../../../../tests/support/strict/rules.ts";
import type { Message, ModelRequest } from "./contract.ts";
import { createUniqueCalls } from "./unique-calls.ts";
import { createChatWriter } from "./wires/chat/request.ts";
import { createMessagesWriter } from "./wires/messages/request.ts";
import { createResponsesWriter } from "./wires/responses/request.ts";

/** A conversation whose answers make calls with these ids. */
function conversation(answers: readonly (readonly string[])[]): readonly Message[] {
  const line: Message = { role: "user", content: [{ kind: "text", text: "go" }] };
  return [
    line,
    ...answers.flatMap((ids): readonly Message[] => [
      {
        role: "assistant",
        content: ids.map((id) => ({ kind: "tool_call", id, name: "read", input: { of: id } }) as const),
      },
      ...ids.map(
        (id) => ({ role: "tool", callId: id, name: "read", text: `of ${id}`, isError: false }) as const,
      ),
    ]),
    line,
  ];
}

const requestOf = (messages: readonly Message[]): ModelRequest => ({
  model: "gpt-5",
  system: "s",
  tools: [],
  messages,
  params: {},
});

const WRITERS = {
  messages: () => {
    const { body } = createMessagesWriter("p");
    return (request: ModelRequest) => body(request).join("");
  },
  chat: () => {
    const write = createChatWriter("p");
    return (request: ModelRequest) => write(request, { isOpenAi: false, learnt: new Set() }).join("");
  },
  responses: () => {
    const write = createResponsesWriter("p");
    return (request: ModelRequest) => write(request, new Set()).join("");
  },
} as const;
type Wire = keyof typeof WRITERS;
const refusal = (wire: Wire, messages: readonly Message[]): string | undefined =>
  REFUSALS[wire](JSON.parse(WRITERS[wire]()(requestOf(messages))), createIssued(), "");

const EXAMPLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "the same id twice in one answer": [["call_1", "call_1"]],
  "call_0 in each answer of a local model": [["call_0"], ["call_0"], ["call_0", "call_1"]],
  "a:0 and a_0, one to a wire that knows no colon": [["a:0", "a_0"]],
  "an id that is what another would become": [
    ["a", "a_2", "a"],
    ["a", "a_2"],
  ],
  "no id at all": [["", ""], [""]],
};

test.each(
  Object.entries(EXAMPLES).flatMap(([what, answers]) =>
    Object.keys(WRITERS).map((wire) => [what, wire as Wire, answers] as const),
  ),
)("%s is taken (%s)", (_, wire, answers) => {
  expect(refusal(wire, conversation(answers))).toBeUndefined();
});

test("any ids in any answers are taken by every wire, and each outcome stays with its call", () => {
  const id = fc.constantFrom("", "a", "a:0", "a_0", "a_2", "a_0_2", "call_0", "é");
  const answers = fc.array(fc.array(id, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(answers, (ids) => {
      const messages = conversation(ids);
      for (const wire of Object.keys(WRITERS) as Wire[]) expect(refusal(wire, messages)).toBeUndefined();
      const inputs = new Map<string, unknown>();
      for (const message of createUniqueCalls()(messages)) {
        if (message.role === "assistant")
          for (const block of message.content)
            if (block.kind === "tool_call") inputs.set(block.id, (block.input as { of: string }).of);
        if (message.role === "tool") expect(message.text).toBe(`of ${String(inputs.get(message.callId))}`);
      }
    }),
  );
});

test("a longer conversation begins with the bytes of the shorter one, also for another writer", () => {
  const ids = [["call_0"], ["call_0"], ["call_0", "call_0"]];
  const messages = conversation(ids);
  const write = WRITERS.chat();
  const text = (count: number): string => write(requestOf(messages.slice(0, count)));
  const shorter = text(5).slice(0, -2);
  expect(text(messages.length).startsWith(shorter)).toBe(true);
  expect(text(5).slice(0, -2)).toBe(shorter);
  const again = WRITERS.chat()(requestOf(conversation(ids)));
  expect(again).toBe(text(messages.length));
});

test("a conversation whose ids are its own has the same objects", () => {
  const messages = conversation([["a"], ["b", "c"]]);
  const sent = createUniqueCalls()(messages);
  expect(sent.map((message, at) => message === messages[at])).toEqual(messages.map(() => true));
});

test.each([
  ["the same id each time", () => "call_0"],
  ["an id of its own each time", (turn: number) => `call-${turn}`],
])("the last of 400 turns costs what the tenth did (%s)", (_, idOf) => {
  const messages = conversation(Array.from({ length: 400 }, (_, turn) => [idOf(turn)]));
  const replace = vi.spyOn(String.prototype, "replace"); // called for each id that is examined
  onTestFinished(() => replace.mockRestore());
  const unique = createUniqueCalls();
  const costs = Array.from({ length: 400 }, (_, turn) => {
    replace.mockClear();
    unique(messages.slice(0, 2 * turn + 2));
    return replace.mock.calls.length;
  });
  expect(costs[399]).toBeGreaterThan(0);
  expect(costs[399]).toBeLessThanOrEqual(costs[9] ?? 0);
});

test("the twin: such ids as they are would be refused", () => {
  const body = WRITERS.chat()(requestOf(conversation([["x", "y"]]))).replaceAll('"y"', '"x"');
  expect(REFUSALS.chat(JSON.parse(body), createIssued(), "")).toContain("Duplicate value");
  const other = WRITERS.messages()(requestOf(conversation([["x"], ["y"]]))).replaceAll('"y"', '"x"');
  expect(REFUSALS.messages(JSON.parse(other), createIssued(), "")).toContain("must be unique");
});
