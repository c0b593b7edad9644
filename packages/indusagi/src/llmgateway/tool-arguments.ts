// What a model streamed as the arguments of a call. Broken arguments are an answer to send back, never a throw.

import { describeError } from "../core/faults.ts";
import type { JsonValue, ToolCallBlock } from "./contract.ts";
import { depthOf } from "./loose-json.ts";

/** Deeper JSON is refused: recursive readers further down would overflow their stack on it. */
export const MAX_ARGUMENT_DEPTH = 200;

/**
 * `text` as the `input` of a tool call. Blank means no arguments. Anything but a JSON object gives `{}` with the
 * text in `unparsed` and, in `problem`, what is wrong with it.
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
