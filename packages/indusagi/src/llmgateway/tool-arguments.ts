// What a model streamed as the arguments of a call. Broken arguments are an answer to send back, never a throw.

import { describeError } from "../core/faults.ts";
import type { JsonValue, ToolCallBlock } from "./contract.ts";

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

/** The deepest nesting of brackets outside strings; right for valid JSON, an estimate for anything else. */
function depthOf(text: string): number {
  if (text.length <= MAX_ARGUMENT_DEPTH) return 0; // too short to be deep
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 92 /* \ */) at++;
      else if (char === 34 /* " */) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 123 /* { */ || char === 91 /* [ */) deepest = Math.max(deepest, ++depth);
    else if (char === 125 /* } */ || char === 93 /* ] */) depth--;
  }
  return deepest;
}
