// What a transform may return, event by event: what is accepted, what counts as no change, and what is refused, with its path.

import type { AssistantMessage, Message, ModelParams } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import type { HookEvent, PayloadOf } from "../events.ts";
import { HOOK_EVENTS } from "../events.ts";
import { PAYLOAD_SHAPES, SHAPE_OF_EVENT } from "../payload-shapes.ts";
import type * as Payloads from "../payloads.ts";
import { acceptPayload, changeableKeys } from "./accept-payload.ts";

const accept = <E extends HookEvent>(event: E, given: PayloadOf<E>, returned: unknown) =>
  acceptPayload(event, { given, returned, requireRoom: () => undefined });

const say = (text: string) => ({ role: "user" as const, content: [{ kind: "text" as const, text }] });
const call = (id: string) => ({
  role: "assistant" as const,
  content: [{ kind: "tool_call" as const, id, name: "ls", input: {} }],
});
const outcome = (callId: string) => ({
  role: "tool" as const,
  callId,
  name: "ls",
  text: "a.ts",
  isError: false,
});

const GIVEN: { readonly [E in HookEvent]: PayloadOf<E> } = {
  "session:start": { sessionId: "s" },
  "session:end": { sessionId: "s" },
  "turn:start": { sessionId: "s" },
  "turn:end": { sessionId: "s" },
  "tool:before": { name: "bash", callId: "c", args: { command: "ls", deep: [1, { a: 2 }] } },
  "tool:after": { name: "bash", callId: "c", args: {}, text: "out", isError: false },
  "chat:params": { provider: "anthropic", model: "m", params: { maxOutputTokens: 9, thinking: "low" } },
  "chat:message": {
    message: {
      role: "assistant",
      content: [
        { kind: "thinking", text: "hm", provider: "anthropic", signature: "s" },
        { kind: "text", text: "hello" },
        { kind: "tool_call", id: "c1", name: "ls", input: { path: "." } },
      ],
    },
  },
  "shell:env": { command: "ls", env: { A: "1" } },
  "input:submit": { text: "go" },
  "context:build": {
    messages: [say("one"), call("c0"), outcome("c0"), say("two"), call("c1"), outcome("c1")],
  },
  "compact:build": { reason: "asked", summary: "so far" },
  "compact:before": { reason: "full" },
};

describe("the schema of the payloads", () => {
  it("has what the framework's own types have, to the last field (the compiler checks it)", () => {
    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    const same: readonly true[] = [
      true satisfies Same<Payloads.ModelParams, ModelParams>,
      true satisfies Same<Payloads.Message, Message>,
      true satisfies Same<Payloads.AssistantMessage, AssistantMessage>,
    ];
    expect(same.length).toBe(3);
  });

  it("has a shape for each event", () => {
    expect(Object.keys(SHAPE_OF_EVENT)).toEqual(HOOK_EVENTS);
    for (const event of HOOK_EVENTS) expect(PAYLOAD_SHAPES[SHAPE_OF_EVENT[event]]?.type).toBe("object");
  });

  it("says which keys a transform may change", () => {
    expect(Object.fromEntries(HOOK_EVENTS.map((event) => [event, changeableKeys(event).join()]))).toEqual({
      "session:start": "",
      "session:end": "",
      "turn:start": "",
      "turn:end": "",
      "tool:before": "args",
      "tool:after": "text",
      "chat:params": "params",
      "chat:message": "message",
      "shell:env": "env",
      "input:submit": "text",
      "context:build": "messages",
      "compact:build": "summary",
      "compact:before": "",
    });
  });
});

describe.each(HOOK_EVENTS)("at %s", (event) => {
  const given = GIVEN[event];
  const nulls = Object.fromEntries(Object.keys(given).map((key) => [key, null]));
  const reversed = Object.fromEntries(Object.entries(structuredClone(given)).reverse());

  it.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["the payload itself", given],
    ["an equal payload", structuredClone(given)],
    ["an equal payload in another order", reversed],
    ["an empty payload", {}],
    ["null for each key", nulls],
  ])("%s is no change", (_what, returned) => {
    expect(accept(event, given, returned)).toBeUndefined();
  });

  it.each<readonly [string, unknown]>([
    ["a text", "x"],
    ["a number", 7],
    ["a list", [given]],
    ["true", true],
  ])("%s is refused", (_what, returned) => {
    expect(() => accept(event, given, returned)).toThrow("a transform must return a payload, or nothing");
  });

  it("an unknown key is refused, and the known ones are listed", () => {
    expect(() => accept(event, given, { ...given, temprature: 0 })).toThrow(
      `its payload has the unknown field "temprature"; the fields of ${event} are ${Object.keys(given)[0]}`,
    );
  });

  it("what is the host's to say is not changed", () => {
    for (const key of Object.keys(given).filter((each) => !changeableKeys(event).includes(each)))
      expect(() => accept(event, given, { ...given, [key]: "other" })).toThrow(
        `it changed "${key}", which only the host sets`,
      );
  });

  it("what is no JSON is refused", () => {
    const [key] = changeableKeys(event);
    if (key === undefined) return;
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    let deep: unknown = [];
    for (let depth = 0; depth < 300; depth++) deep = [deep];
    for (const value of [1n, () => 1, Symbol("s"), circle, deep])
      expect(() => accept(event, given, { ...given, [key]: value })).toThrow();
  });
});

describe("a change", () => {
  it.each<readonly [HookEvent, object, object]>([
    ["tool:before", { args: { command: "ls -a" } }, { args: { command: "ls -a" } }],
    ["tool:before", { args: "raw" }, { args: "raw" }],
    ["tool:after", { text: "" }, { text: "" }],
    ["shell:env", { env: {} }, { env: {} }],
    ["input:submit", { text: "go on" }, { text: "go on" }],
    ["compact:build", { summary: "shorter" }, { summary: "shorter" }],
    // Both documented forms: the parameter next to the rest, and the parameters alone.
    ["chat:params", { temperature: 0 }, { params: { maxOutputTokens: 9, thinking: "low", temperature: 0 } }],
    ["chat:params", { params: { temperature: 0 } }, { params: { temperature: 0 } }],
    [
      "chat:params",
      { params: { temperature: 1, thinking: null }, temperature: 0 },
      { params: { thinking: "low", temperature: 0 } },
    ],
    [
      "chat:message",
      { message: { content: "text" } },
      { message: { role: "assistant", content: [{ kind: "text", text: "text" }] } },
    ],
    [
      "chat:message",
      { message: { role: "assistant", content: [{ type: "text", text: "a" }, "b"] } },
      {
        message: {
          role: "assistant",
          content: [
            { kind: "text", text: "a" },
            { kind: "text", text: "b" },
          ],
        },
      },
    ],
    [
      "context:build",
      { messages: [{ role: "user", content: "two" }, call("c1"), outcome("c1")] },
      { messages: [say("two"), call("c1"), outcome("c1")] },
    ],
  ])("at %s: %j", (event, returned, changed) => {
    expect(accept(event, GIVEN[event], { ...GIVEN[event], ...returned })).toEqual({
      ...GIVEN[event],
      ...changed,
    });
    expect(accept(event, GIVEN[event], returned)).toEqual({ ...GIVEN[event], ...changed });
  });

  it("keeps what is the same by value as the very object that it was", () => {
    const given = { ...GIVEN["tool:before"] };
    const next = accept("tool:before", given, { ...structuredClone(given), args: { command: "x" } });
    expect(next?.name).toBe("bash");
    const messages = GIVEN["context:build"];
    expect(accept("context:build", messages, structuredClone(messages))).toBeUndefined();
  });
});

describe("refused, with the place and what was expected", () => {
  it.each<readonly [HookEvent, object, string]>([
    ["tool:after", { text: 1 }, "its payload.text must be string, found integer"],
    ["chat:params", { temperature: "0" }, "its payload.params.temperature must be number, found string"],
    ["chat:params", { params: "hot" }, "its payload.params must be object, found string"],
    ["chat:params", { params: [] }, "its payload.params must be object, found array"],
    [
      "chat:params",
      { params: { temperature: 3 } },
      "its payload.params.temperature must be from 0 to 2, found 3",
    ],
    [
      "chat:params",
      { params: { maxOutputTokens: 0.5 } },
      "its payload.params.maxOutputTokens must be integer, found number",
    ],
    ["chat:params", { params: { maxOutputTokens: -1 } }, "must be from 1 to 10000000, found -1"],
    [
      "chat:params",
      { params: { topK: 1 } },
      "its payload.params.topK is unknown; the known fields are maxOutputTokens, temperature, thinking",
    ],
    [
      "chat:params",
      { topK: 1 },
      "the fields of chat:params are provider, model, params, delegate, maxOutputTokens, temperature, thinking",
    ],
    ["chat:params", { model: "other" }, "at chat:params it may change params"],
    ["chat:message", { message: "text" }, "its payload.message must be object, found string"],
    ["chat:message", { message: {} }, "its payload.message.content is missing"],
    ["chat:message", { message: { content: 5 } }, "its payload.message.content must be array, found integer"],
    [
      "chat:message",
      { message: { role: "user", content: [] } },
      'its payload.message.role must be one of "assistant", found "user"',
    ],
    [
      "chat:message",
      { message: { content: [{ kind: "image" }] } },
      'its payload.message.content[0].kind must be one of "text", "thinking", "tool_call", found "image"',
    ],
    [
      "chat:message",
      { message: { content: [null] } },
      "its payload.message.content[0] must be object, found null",
    ],
    [
      "chat:message",
      { message: { content: [{ kind: "text", text: ["a"] }] } },
      "its payload.message.content[0].text must be string, found array",
    ],
    [
      "chat:message",
      { message: { content: [{ kind: "text", text: "a", note: 1 }] } },
      "its payload.message.content[0].note is unknown; the known fields are kind, text",
    ],
    [
      "chat:message",
      { message: { content: [{ kind: "tool_call", id: "c9", name: "bash", input: {} }] } },
      'has the call "c9" of "bash", which the model did not make',
    ],
    [
      "chat:message",
      { message: { content: [{ kind: "tool_call", id: "c1", name: "ls", input: { path: "/" } }] } },
      "calls may be removed here, and are changed at tool:before",
    ],
    [
      "chat:message",
      {
        message: {
          content: Array(2).fill({ kind: "tool_call", id: "c1", name: "ls", input: { path: "." } }),
        },
      },
      'has the call "c1" of "ls", which the model did not make',
    ],
    ["shell:env", { env: { A: 1 } }, "its payload.env.A must be string, found integer"],
    ["shell:env", { env: { "A=B": "1" } }, 'its payload.env["A=B"] as a name must match'],
    ["shell:env", { env: { "": "1" } }, 'its payload.env[""] as a name must match'],
    ["shell:env", { env: { A: "a\0b" } }, "its payload.env.A must match"],
    ["shell:env", { env: { A: "x".repeat(30_001) } }, "its payload.env.A must have at most 30000 characters"],
    ["shell:env", { env: [] }, "its payload.env must be object, found array"],
    ["input:submit", { text: "  \n" }, "its payload.text must match"],
    ["input:submit", { text: {} }, "its payload.text must be string, found object"],
    ["compact:build", { summary: "" }, "its payload.summary must match"],
    ["context:build", { messages: {} }, "its payload.messages must be array, found object"],
    ["context:build", { messages: [] }, "its payload.messages must have at least 1 items, found 0"],
    ["context:build", { messages: [1] }, "its payload.messages[0] must be object, found integer"],
    ["context:build", { messages: [{ content: "a" }] }, "its payload.messages[0].role is missing"],
    [
      "context:build",
      { messages: [{ role: "system", content: "a" }] },
      'its payload.messages[0].role must be one of "user", "assistant", "tool", found "system"',
    ],
    [
      "context:build",
      { messages: [{ role: "user", content: [{ kind: "tool_call" }] }] },
      'its payload.messages[0].content[0].kind must be one of "text", "image", found "tool_call"',
    ],
    [
      "context:build",
      { messages: [call("c1"), outcome("c1")] },
      "its payload.messages are inconsistent: the first message must be from the user",
    ],
    [
      "context:build",
      { messages: [say("a"), outcome("c1")] },
      'messages[1] is the outcome of "c1", which no earlier message calls',
    ],
    [
      "context:build",
      { messages: [say("a"), call("c1"), say("b")] },
      'messages[2] must be the outcome of the call "c1"',
    ],
    ["context:build", { messages: [say("a"), call("c1")] }, 'the outcome of the call "c1" is missing'],
    [
      "context:build",
      { messages: [say("one")] },
      'the outcome of the call "c1" is missing, and the model has not seen it yet',
    ],
    [
      "context:build",
      {
        messages: [
          ...GIVEN["context:build"].messages,
          { role: "assistant", content: [{ kind: "text", text: "a" }] },
        ],
      },
      "the last message must not be from the model",
    ],
  ])("%s: %j", (event, returned, problem) => {
    expect(() => accept(event, GIVEN[event], returned)).toThrow(problem);
  });
});

it("a conversation that is broken already may stay so: only what a transform breaks is its fault", () => {
  const messages = [call("c9"), say("a")];
  const next = accept("context:build", { messages }, { messages: [...messages, say("b")] });
  expect(next?.messages).toHaveLength(3);
});
