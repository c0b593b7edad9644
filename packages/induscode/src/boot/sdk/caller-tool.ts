// Functions of the program: tools that the model calls, and hooks on the session's events.

import type { JsonObject, JsonValue } from "indusagi/core";
import type { HookEvent } from "../../feature/events.ts";
import type { HookHandler } from "../../feature/handler.ts";
import type { FromSchema, SchemaLiteral } from "./from-schema.ts";

/** Something that a call of a tool touches; a relative path starts at the session's folder. */
export type Touch =
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "network"; readonly host: string };

/** Where a tool's function runs. */
export interface CallContext {
  /** The session's folder. */
  readonly cwd: string;
  /** Fires when nobody waits for the call any more. */
  readonly signal: AbortSignal;
}

/** A tool as its author writes it. */
export interface ToolDefinition<S extends SchemaLiteral> {
  /** Letters, digits, `_` and `-`; none that another tool has. */
  readonly name: string;
  /** What the model reads of it. */
  readonly description: string;
  /** The JSON Schema of its arguments; a call whose arguments do not match is answered without the tool. */
  readonly input: S;
  /**
   * What a call touches, which rules and mode decide about as for the built-in tools; `[]` for nothing. Without it a call counts as a
   * command that does what nobody knows: it is asked about, unless a rule allows the tool by its name.
   */
  readonly touches?: readonly Touch[] | ((input: FromSchema<S>) => readonly Touch[]) | undefined;
  /** Returns what the model reads, a text or a JSON value. What it throws, the model reads as a failure. */
  readonly run: (input: FromSchema<S>, context: CallContext) => CallAnswer | Promise<CallAnswer>;
}

/** What a tool's function returns. */
export type CallAnswer = JsonValue | undefined;

/** A tool that can be given to a session: see {@link tool}. */
export interface CallerTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly touches?: readonly Touch[] | ((input: JsonValue) => readonly Touch[]) | undefined;
  readonly run: (input: JsonValue, context: CallContext) => CallAnswer | Promise<CallAnswer>;
}

/** A tool whose arguments have the type of its schema. */
export function tool<const S extends SchemaLiteral>(definition: ToolDefinition<S>): CallerTool {
  return definition as unknown as CallerTool; // the boundary holds arguments against the schema before either function gets them
}

/** A function that sees (`observe`), changes (`transform`) or may stop (`gate`) what an event is about. */
export type HookOf<E extends HookEvent> = HookHandler<E> & {
  readonly event: E;
  /** For `tool:before` and `tool:after`: the one tool that it is about. */
  readonly match?: string | undefined;
};

/** A hook on any event: the table of events says what each carries. */
export type Hook = { readonly [E in HookEvent]: HookOf<E> }[HookEvent];
