// What handlers of the fuzzers return, and how they come to it from what they were handed.

import * as util from "node:util";
import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import {
  checkResult,
  withoutNulls,
} from "../../packages/induscode/src/addons/process/protocol/check-message.ts";
import { HOOK_EVENTS, type HookEvent } from "../../packages/induscode/src/feature/events.ts";
import type { HostHandlerContext } from "../../packages/induscode/src/feature/handler.ts";
import { MAX_GROWTH_BYTES } from "../../packages/induscode/src/feature/handler-limits.ts";

/** What a handler does with what it was handed. */
export type Deed =
  | { readonly kind: "value"; readonly value: unknown }
  /** Its own payload, with values put somewhere into it, taken out or doubled. */
  | { readonly kind: "mutated"; readonly edits: readonly Edit[] }
  /** A change that may be made. */
  | { readonly kind: "fitting" }
  | { readonly kind: "throws" };

export interface Edit {
  /** Chooses the place: at each level one of the keys there. */
  readonly path: readonly number[];
  readonly how: "put" | "delete" | "double" | "reverse" | "add";
  readonly key: string;
  readonly value: unknown;
}

export const KEYS: readonly string[] = [
  ...["message", "messages", "content", "role", "kind", "type", "text", "id", "name", "input", "callId"],
  ...["params", "temperature", "maxOutputTokens", "thinking", "env", "args", "summary", "isError", "stop"],
  ...["reason", "result", "value", "delegate", "provider", "signature", "sessionId"],
];
const circle: Record<string, unknown> = {};
circle.circle = circle;
Object.freeze(circle);
export const HOSTILE: readonly unknown[] = [
  ...[undefined, null, Number.NaN, Infinity, 1n, Symbol("s"), () => "text", circle, new Date(0), new Map()],
  ...["", " ", "\0", "\ud800", "x".repeat(MAX_GROWTH_BYTES + 1), "[]", [], {}, [[]], [null], "user", "tool"],
  ...["assistant", "text", "tool_call", "c1", -1, 0, 3, 1e9],
  { kind: "text", text: "a" },
  { type: "text", text: "b" },
  { role: "user", content: "c" },
  { role: "assistant", content: [] },
  { kind: "tool_call", id: "c1", name: "bash", input: {} },
  { role: "tool", callId: "c1", name: "read", text: "t", isError: false },
  {
    get text() {
      throw new Error("not to be read");
    },
  },
  {
    toJSON() {
      throw new Error("not to be written");
    },
  },
  { toJSON: () => undefined },
  new Proxy({}, { ownKeys: () => ["a", "a"] }),
];
for (const value of HOSTILE) if (!util.types.isProxy(value)) Object.freeze(value); // no run is to leave anything in them

const STAGES = ["enter", "exit"] as const;
export type Place = HookEvent | (typeof STAGES)[number];
export const PLACES: readonly Place[] = [...HOOK_EVENTS, ...STAGES];

/** Throws what the deed says. */
export function perform(given: unknown, todo: Deed): unknown {
  if (todo.kind === "throws") throw new Error("boom");
  if (todo.kind === "value") return todo.value;
  if (todo.kind === "fitting") return fitting(given as Readonly<Record<string, unknown>>);
  const copy = structuredClone(given) as Record<string, unknown>;
  for (const each of todo.edits) apply(copy, each);
  return copy;
}

function fitting(given: Readonly<Record<string, unknown>>): unknown {
  const { text, summary, messages, message, params, env, args, content } = given;
  if (typeof text === "string") return { text: `${text}!` };
  if (typeof summary === "string") return { summary: `${summary}!` };
  if (messages) return { messages: [...(messages as readonly unknown[]), { role: "user", content: "!" }] };
  if (message) return { message: { content: "!" } };
  if (params) return { temperature: 0.5 };
  if (env) return { env: { A: "!" } };
  if (content) return { content: "!" };
  return args ? { args: { path: "!" } } : null;
}

function apply(root: object, { path, how, key, value }: Edit): void {
  let holder = root as Record<string, unknown>;
  let at = "";
  for (const step of path) {
    const keys = Object.keys(holder);
    if (keys.length === 0) break;
    at = keys[step % keys.length] ?? "";
    const below = holder[at];
    if (typeof below !== "object" || below === null || step === 9) break;
    holder = below as Record<string, unknown>;
  }
  if (Object.isFrozen(holder)) return;
  const list = Array.isArray(holder) ? holder : undefined;
  if (how === "add") list ? list.push(value) : Reflect.set(holder, key, value);
  else if (how === "double" && list) list.push(...list);
  else if (how === "reverse" && list) list.reverse();
  else if (how === "delete") list ? list.splice(0, 1) : Reflect.deleteProperty(holder, at);
  else if (at !== "" && Object.hasOwn(holder, at)) Reflect.set(holder, at, value);
}

/** As an addon's process answers: written as JSON, held against the protocol, then against what was asked. */
export function throughProcess(
  method: "event" | "enter" | "exit",
  answer: object,
  { check }: HostHandlerContext,
  key?: string,
) {
  const text = JSON.stringify(answer);
  if (text === undefined || text.length > 8 * 1024 * 1024) throw new Error("it cannot be sent");
  const result = JSON.parse(text) as JsonValue;
  const problem = checkResult(method, result);
  if (problem !== undefined) throw new Error(problem);
  const read = withoutNulls(method, result) as Readonly<Record<string, unknown>>;
  const returned = key === undefined ? read : read[key];
  check?.(returned);
  return returned;
}

export function isStop(returned: unknown): returned is { readonly stop: true } {
  try {
    return (returned as { readonly stop?: unknown } | undefined)?.stop === true;
  } catch {
    return false;
  }
}
