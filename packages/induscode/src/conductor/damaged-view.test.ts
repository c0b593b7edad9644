import type { Message, ToolCallBlock } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { refusalOf } from "../../../../tests/support/request-rules.ts";
import { createIssued, REFUSALS } from "../../../../tests/support/strict/rules.ts";
import { createChatWriter } from "../../../indusagi/src/llmgateway/wires/chat/request.ts";
import { createGeminiWriter } from "../../../indusagi/src/llmgateway/wires/gemini/request.ts";
import { createMessagesWriter } from "../../../indusagi/src/llmgateway/wires/messages/request.ts";
import { createResponsesWriter } from "../../../indusagi/src/llmgateway/wires/responses/request.ts";
import type { Entry, EntryBody } from "./contract.ts";
import { ContextFold } from "./fold.ts";
import { NO_USAGE } from "./usage.ts";
import { verifyEntries } from "./verify.ts";

const text = (words: string) => ({ kind: "text", text: words }) as const;
const user = (words: string, via: "submit" | "steer" = "submit"): EntryBody => ({
  type: "user",
  content: [text(words)],
  via,
});
const call = (id: string): ToolCallBlock => ({ kind: "tool_call", id, name: "read", input: {} });
const answer = (words: string, ...ids: readonly string[]): EntryBody => ({
  type: "assistant",
  message: { role: "assistant", content: [text(words), ...ids.map(call)] },
  stop: ids.length > 0 ? "tool_calls" : "complete",
  usage: NO_USAGE,
});
const outcome = (callId: string): EntryBody => ({
  type: "tool",
  callId,
  name: "read",
  state: "ok",
  text: `outcome of ${callId}`,
  durationMs: 1,
});
const request: EntryBody = { type: "request", digest: "" };
const prompt: EntryBody = { type: "prompt", model: "m", system: "s", tools: [], params: {} };
const end: EntryBody = { type: "end", how: "complete" };

/**
 * A conversation with everything a log can hold: parallel calls, repeated
 * ids, queued lines, notices, an interrupted answer, a summary, a digest.
 */
const BODIES: readonly EntryBody[] = [
  { type: "session", v: 1, id: "s1", cwd: "/w", version: "1" },
  user("first"),
  prompt,
  request,
  answer("a", "call_0", "call_1"),
  outcome("call_0"),
  outcome("call_1"),
  { type: "notice", origin: "o", text: "notice" },
  request,
  answer("b", "call_0", "call_0"),
  outcome("call_0"),
  outcome("call_0"),
  { type: "queued", content: [text("steer")] },
  { ...user("steer", "steer"), queued: 12 } as EntryBody,
  {
    type: "context",
    from: 1,
    remove: 1,
    insert: [
      { role: "assistant", content: [text("patched"), call("p")] },
      { role: "tool", callId: "p", name: "read", text: "x", isError: false },
    ],
  },
  request,
  answer("c"),
  end,
  user("second"),
  request,
  answer("d", "x"),
  outcome("x"),
  request,
  { type: "summary", origin: "host", text: "short", usage: NO_USAGE },
  { type: "notice", origin: "o", text: "again" },
  request,
  answer("e", "y"),
  outcome("y"),
  request,
  { ...answer("interrup"), stop: "interrupted" } as EntryBody,
  { type: "end", how: "aborted" },
  user("go on from there"),
  request,
  answer("f"),
  end,
  { type: "summary", origin: "digest", text: "cut", usage: NO_USAGE },
  user("third"),
  request,
  answer("g", "y"),
  outcome("y"),
];

function whole(): readonly Entry[] {
  const fold = new ContextFold();
  return BODIES.map((body, n) => {
    const entry: Entry = {
      n,
      at: 1,
      ...(body.type === "request" ? { ...body, digest: fold.digest() } : body),
    };
    fold.add(entry);
    return entry;
  });
}

/** Resumes a log as a session does: closes what is open, adds a line, and returns what a strict server of each wire says. */
function goOn(entries: readonly Entry[]): {
  readonly refusals: readonly (string | undefined)[];
  readonly fold: ContextFold;
} {
  const fold = new ContextFold();
  for (const entry of entries) fold.add(entry);
  const repairs = { ...fold.repairs };
  let n = 1_000;
  const add = (body: EntryBody): void => fold.add({ n: n++, at: 2, ...body });
  for (const { id } of fold.openCalls) add({ ...outcome(id), ...{ state: "cancelled" } });
  add(user("go on"));
  add(prompt);
  expect(fold.repairs).toEqual(repairs); // whoever opened the log received all of these
  const sent = fold.request("m");
  const bodies = [
    ["messages", createMessagesWriter("p").body(sent), "/v1/messages"],
    ["chat", createChatWriter("p")(sent, { isOpenAi: false, learnt: new Set() }), "/chat/completions"],
    ["responses", createResponsesWriter("p")({ ...sent, model: "gpt-5" }, new Set()), "/responses"],
    ["gemini", createGeminiWriter("p")(sent), "/v1beta/models/m:streamGenerateContent"],
  ] as const;
  const refusals = bodies.map(([wire, body, path]) =>
    REFUSALS[wire](JSON.parse(body.join("")), createIssued(), path),
  );
  return { fold, refusals };
}

const VALID = [undefined, undefined, undefined, undefined];

describe("the view of a log that is whole", () => {
  it("is valid, explained, and nothing was put right", () => {
    const { refusals, fold } = goOn(whole());
    expect(refusals).toEqual(VALID);
    expect(fold.repairs).toEqual({ droppedOutcomes: 0, closedCalls: 0, missingLines: 0 });
    expect(verifyEntries(whole())).toEqual({ requests: 9, mismatches: [] });
  });

  it("is valid wherever the session ended", () => {
    for (let length = 1; length <= BODIES.length; length++) {
      const { refusals, fold } = goOn(whole().slice(0, length));
      expect([length, ...refusals]).toEqual([length, ...VALID]);
      expect(fold.repairs).toEqual({ droppedOutcomes: 0, closedCalls: 0, missingLines: 0 });
    }
  });
});

describe("whatever is missing from a log, the view is valid on every wire", () => {
  const without = (...gone: readonly number[]): readonly Entry[] =>
    whole().filter(({ n }) => !gone.includes(n));

  it("any line, any two lines, any run of lines", () => {
    const all = BODIES.map((_body, n) => n);
    for (const first of all) {
      for (const second of all.slice(first)) {
        const run = all.slice(first, second + 1);
        for (const gone of [[first, second], run]) {
          if (gone.length === BODIES.length) continue;
          expect({ gone, refusals: goOn(without(...gone)).refusals }).toEqual({ gone, refusals: VALID });
        }
      }
    }
  });

  it("any line twice, or in another's place", () => {
    for (const entry of whole()) {
      const twice = whole().flatMap((each) => (each === entry ? [each, each] : [each]));
      expect(goOn(twice).refusals).toEqual(VALID);
      expect(goOn([...whole().filter(({ n }) => n !== entry.n), entry]).refusals).toEqual(VALID);
    }
  });

  it("an outcome without its call is dropped, a call without its outcome is closed in its place", () => {
    const withoutAnswer = goOn(without(4)).fold;
    expect(withoutAnswer.repairs).toMatchObject({ droppedOutcomes: 2, closedCalls: 0 });
    const cut = whole().filter(({ n }) => n < 17 && n !== 6);
    const { fold } = goOn(cut);
    expect(fold.repairs).toEqual({ droppedOutcomes: 0, closedCalls: 1, missingLines: 0 });
    const lost = fold.messages.findIndex(
      (message: Message) => message.role === "tool" && message.callId === "call_1",
    );
    expect(fold.messages[lost - 1]).toMatchObject({ role: "tool", callId: "call_0" });
    expect(fold.messages[lost]).toMatchObject({ isError: true, text: expect.stringContaining("is lost") });
  });

  it("a line of the person that is missing between two answers is marked", () => {
    const { fold } = goOn(without(17, 18).filter(({ n }) => n < 21));
    expect(fold.repairs).toMatchObject({ missingLines: 1 });
    expect(JSON.stringify(fold.messages)).toContain("A line of this conversation is missing here");
  });

  it("any entries of such a log, each any number of times, in any order", () => {
    const entries = fc.array(fc.constantFrom(...whole()), { maxLength: 60 });
    fc.assert(
      fc.property(entries, (some) => {
        expect(goOn(some).refusals).toEqual(VALID);
      }),
    );
  });

  it("requests that follow are explained: the same lines give the same view", () => {
    const damaged = without(5, 9);
    const { fold } = goOn(damaged);
    const again = goOn(damaged).fold;
    expect(again.digest()).toBe(fold.digest());
  });

  it("would be refused if the lines were only strung together (the twin)", () => {
    const strung = (entries: readonly Entry[]): readonly unknown[] =>
      entries.flatMap((entry): readonly unknown[] => {
        if (entry.type === "user") return [{ role: "user", content: "u" }];
        if (entry.type === "tool") return [{ role: "tool", tool_call_id: entry.callId }];
        if (entry.type !== "assistant") return [];
        const calls = entry.message.content.filter((block) => block.kind === "tool_call");
        return [{ role: "assistant", content: "a", tool_calls: calls.map(({ id }) => ({ id })) }];
      });
    const refused = (...gone: readonly number[]): string | undefined =>
      refusalOf("openai", { messages: strung(without(...gone).filter(({ n }) => n < 9)) });
    expect(refused()).toBeUndefined();
    expect(refused(4)).toBe("message 1: an outcome without its call call_0");
    expect(refused(6)).toBe("calls without outcomes at the end");
  });
});

describe("a context entry", () => {
  it("holds for its own request alone, also when that one was never answered", () => {
    const patched = whole().slice(0, 16); // the context entry and its request, then a power cut
    const { fold } = goOn(patched);
    expect(JSON.stringify(fold.request("m").messages)).not.toContain("patched");
    expect(JSON.stringify(fold.request("m").messages)).toContain("outcome of call_0");
  });
});
