import { createSecretMask } from "indusagi/core";
import type { AssistantMessage } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import type { ConductorEvent } from "./contract.ts";
import { createMaskedEvents, maskedBody, maskedEnd, maskedMessage, NO_MASK } from "./masked.ts";

const SECRET = "hunter2-Zq8x";
const SHOWN = "[secret DB_PASSWORD]";
const mask = createSecretMask();
mask.add("DB_PASSWORD", SECRET);

function heard(events: readonly ConductorEvent[]): readonly string[] {
  const told: string[] = [];
  const { emit, flush } = createMaskedEvents(mask, (event) => told.push(JSON.stringify(event)));
  for (const event of events) emit(event);
  flush();
  return told;
}

const text = (part: string): ConductorEvent => ({ kind: "delta", delta: { kind: "text", text: part } });
const thought = (part: string): ConductorEvent => ({
  kind: "delta",
  delta: { kind: "thinking", text: part },
});
const alert: ConductorEvent = { kind: "alert", text: `about ${SECRET}` };

describe("events", () => {
  it("pass as they came where nothing is to hide", () => {
    const event = text("plain words");
    const told: ConductorEvent[] = [];
    createMaskedEvents(mask, (each) => told.push(each)).emit(event);
    expect(told[0]).toBe(event);
  });

  it("hold back what may begin a secret until the next piece, and no longer than until another event", () => {
    expect(heard([text("a hunt"), text("er2-Zq8x b"), text(" hunter"), alert])).toEqual([
      JSON.stringify(text("a ")),
      JSON.stringify(text(`${SHOWN} b`)),
      JSON.stringify(text(" ")),
      JSON.stringify(text("hunter")),
      JSON.stringify({ kind: "alert", text: `about ${SHOWN}` }),
    ]);
  });

  it("tell text and thinking apart", () => {
    expect(heard([text("hunter2"), thought("-Zq8x")])).toEqual([
      JSON.stringify(text("hunter2")),
      JSON.stringify(thought("-Zq8x")),
    ]);
  });

  it("forget what they held of an answer that begins anew", () => {
    const fault = { kind: "server", message: SECRET } as const;
    const retry: ConductorEvent = { kind: "delta", delta: { kind: "retry", attempt: 1, waitMs: 1, fault } };
    const told = heard([text("hunter"), retry, text("2")]);
    expect(told).toHaveLength(2);
    expect(told.join("")).not.toContain("hunter");
  });

  it("of a delegate were masked in its own session, but for its start, which is of this one", () => {
    const of = (event: Extract<ConductorEvent, { kind: "delegate" }>["event"]): ConductorEvent => ({
      ...{ kind: "delegate", agent: "coder", sessionId: "s" },
      event,
    });
    expect(heard([of({ kind: "delegate_start", objective: `use ${SECRET}` })]).join("")).toContain(SHOWN);
    const masked = of({ kind: "alert", text: "plain words" });
    const told: ConductorEvent[] = [];
    createMaskedEvents(mask, (each) => told.push(each)).emit(masked);
    expect(told[0]).toBe(masked);
  });

  it("keep the cause of a fault, which nobody is shown", () => {
    const cause = new Error(SECRET);
    const told: ConductorEvent[] = [];
    const { emit } = createMaskedEvents(mask, (event) => told.push(event));
    emit({ kind: "fault", fault: { kind: "feature", message: SECRET, cause } });
    expect(told).toEqual([{ kind: "fault", fault: { kind: "feature", message: SHOWN, cause } }]);
  });
});

describe("a message", () => {
  const message: AssistantMessage = {
    role: "assistant",
    content: [
      { kind: "thinking", text: `it is ${SECRET}`, provider: "p", signature: "proof" },
      { kind: "thinking", text: "nothing", provider: "p", signature: "proof" },
      { kind: "tool_call", id: "c", name: "bash", input: { command: `echo ${SECRET}` } },
    ],
  };

  it("is masked in its calls too, and thinking that is another text has no proof", () => {
    expect(maskedMessage(mask, message).content).toEqual([
      { kind: "thinking", text: `it is ${SHOWN}`, provider: "p" },
      { kind: "thinking", text: "nothing", provider: "p", signature: "proof" },
      { kind: "tool_call", id: "c", name: "bash", input: { command: `echo ${SHOWN}` } },
    ]);
    expect(maskedMessage(NO_MASK, message)).toEqual(message);
  });

  it("is masked wherever an entry has one", () => {
    const changes = [{ at: "chat:message", feature: "project:x" }];
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const entry = maskedBody(mask, {
      type: "assistant",
      message,
      original: message,
      stop: "complete",
      usage,
      changes,
    });
    expect(JSON.stringify(entry)).not.toContain(SECRET);
    const context = maskedBody(mask, { type: "context", from: 0, remove: 0, insert: [message] });
    expect(JSON.stringify(context)).not.toContain(SECRET);
  });
});

it("a person's line is masked in its text, and its pictures stay as they are", () => {
  const picture = {
    kind: "image" as const,
    mediaType: "image/png",
    data: Buffer.from(SECRET).toString("base64"),
  };
  const content = [{ kind: "text" as const, text: SECRET }, picture];
  expect(maskedBody(mask, { type: "user", via: "submit", content, typed: content })).toEqual({
    type: "user",
    via: "submit",
    content: [{ kind: "text", text: SHOWN }, picture],
    typed: [{ kind: "text", text: SHOWN }, picture],
  });
});

it("an end is masked in its answer and its fault", () => {
  expect(maskedEnd(mask, { kind: "complete", text: SECRET, stop: "complete" })).toMatchObject({
    text: SHOWN,
  });
  const fault = { kind: "model" as const, message: SECRET };
  expect(maskedEnd(mask, { kind: "faulted", fault })).toEqual({
    kind: "faulted",
    fault: { kind: "model", message: SHOWN },
  });
  expect(maskedEnd(mask, { kind: "aborted" })).toEqual({ kind: "aborted" });
});
