// What gates and interceptors may return. Each check runs inside the fence and throws for a result that does not fit, which
// the session treats like a handler that failed. null and undefined always mean no change.

import type { ToolResult } from "indusagi/capabilities";
import { isSameJson, type JsonValue } from "indusagi/core";
import type { GateDecision } from "../handler.ts";
import type { EnterOutcome } from "../interceptor.ts";
import { createShapeChecks } from "../shape.ts";
import type { RequireRoom } from "./accept-payload.ts";
import { kindOf, requireJson, requireTable } from "./json-returns.ts";
import { readContent } from "./lenient-forms.ts";

const MAX_REASON_CHARACTERS = 4_000;
const MAX_BLOCKS = 1_000;

/** A gate's decision; undefined when it made none. */
export function acceptDecision(returned: unknown): GateDecision | undefined {
  if (returned === undefined || returned === null) return undefined;
  return readDecision(requireTable(returned, "a gate must return a decision or nothing"));
}

function readDecision({ stop, reason }: Readonly<Record<string, unknown>>): GateDecision | undefined {
  if (stop === undefined || stop === null) {
    if (reason === undefined || reason === null) return undefined;
    throw new TypeError('its decision has a "reason" but no "stop"');
  }
  if (typeof stop !== "boolean") throw new TypeError(`its "stop" must be a boolean, not ${kindOf(stop)}`);
  if (reason === undefined || reason === null) return { stop };
  if (typeof reason !== "string") throw new TypeError(`its "reason" must be a string, not ${kindOf(reason)}`);
  return { stop, reason: reason.slice(0, MAX_REASON_CHARACTERS) };
}

/** What an enter stage returned: new arguments, a decision, or undefined for no change. */
export function acceptEnter(
  returned: unknown,
  { before, requireRoom }: { readonly before: JsonValue; readonly requireRoom: RequireRoom },
): EnterOutcome {
  if (returned === undefined || returned === null) return undefined;
  const outcome = requireTable(returned, "an enter stage must return arguments, a decision or nothing");
  const keys = Object.keys(outcome);
  if (keys.length > 0 && !keys.some((key) => key === "args" || key === "stop" || key === "reason"))
    throw new TypeError(`its outcome has ${keys.slice(0, 5).join(", ")}; expected args, stop or reason`);
  const decision = readDecision(outcome);
  if (decision?.stop || outcome.args === undefined || outcome.args === null) return decision;
  const args = requireJson(outcome.args, 'its "args"') as JsonValue;
  if (isSameJson(args, before)) return undefined;
  requireRoom({ before, after: args, lasts: true });
  return { args };
}

const { problem } = createShapeChecks({
  Result: {
    type: "object",
    required: ["content"],
    properties: {
      content: {
        type: "array",
        maxItems: MAX_BLOCKS,
        items: { oneOf: [{ $ref: "#/$defs/Text" }, { $ref: "#/$defs/Json" }] },
      },
      isError: { type: "boolean" },
    },
  },
  Text: {
    type: "object",
    required: ["text"],
    properties: { kind: { enum: ["text"] }, text: { type: "string" } },
  },
  Json: { type: "object", required: ["value"], properties: { kind: { enum: ["json"] } } },
});

/** A tool's result, normalized from any form that authors write. Throws for anything else. */
export function readToolResult(returned: unknown): ToolResult {
  if (typeof returned === "string") return { content: [{ kind: "text", text: returned }], isError: false };
  const { content, isError } = requireTable(returned, 'a result must be a string or { content: "…" }');
  const result = requireJson({ content: readContent(content), isError: isError ?? false }, "a result");
  const misfit = problem("Result", result as JsonValue, "its result");
  if (misfit !== undefined) throw new TypeError(misfit);
  const read = result as ToolResult;
  return {
    content: read.content.map((block) =>
      block.kind === "text" ? { kind: "text", text: block.text } : { kind: "json", value: block.value },
    ),
    isError: read.isError,
  };
}

/** What an exit stage returned: the result that replaces `before`, or undefined for no change. */
export function acceptResult(
  returned: unknown,
  { before, requireRoom }: { readonly before: ToolResult; readonly requireRoom: RequireRoom },
): ToolResult | undefined {
  if (returned === undefined || returned === null || returned === before) return undefined;
  const result = readToolResult(returned);
  if (isSameJson(result, before)) return undefined;
  requireRoom({ before, after: result, lasts: true });
  return result;
}
