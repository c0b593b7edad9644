// Parses what a model streamed as a call's arguments. Broken arguments are answered, never thrown.

import { describeError } from "../core/faults.ts";
import type { JsonValue, ToolCallBlock } from "./contract.ts";
import { depthOf } from "./loose-json.ts";

/** Deeper JSON is refused: it would overflow the stack of recursive readers downstream. */
export const MAX_ARGUMENT_DEPTH = 200;

/**
 * `text` as the `input` of a tool call. Blank means no arguments. Anything except a JSON object gives `{}`, with the text in
 * `unparsed` and what is wrong with it in `problem`.
 */
export function parseToolArguments(text: string): Pick<ToolCallBlock, "input" | "unparsed" | "problem"> {
  if (text.trim() === "") return { input: {} };
  if (depthOf(text) > MAX_ARGUMENT_DEPTH) {
    return broken(text, `nested deeper than ${MAX_ARGUMENT_DEPTH} levels`);
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return broken(text, describeError(error));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { input: value };
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return broken(text, `expected a JSON object, got ${found}`);
}

function broken(text: string, problem: string): Pick<ToolCallBlock, "input" | "unparsed" | "problem"> {
  return { input: {}, unparsed: text, problem };
}
