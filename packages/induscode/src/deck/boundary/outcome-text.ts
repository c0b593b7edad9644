import type { ToolResult } from "indusagi/capabilities";
import { clampEncoded, type JsonValue, type OutputBudget } from "indusagi/core";
import type { ToolOutcome } from "indusagi/runtime";

// Text already clamped by its tool can fill the budget, plus a header and a notice.
const HEADER_ROOM_BYTES = 4 * 1024;
/** In a request quotes, tabs and line breaks take two bytes: so much more for a file of code. */
const ESCAPES = 1.2;

/**
 * What the model reads of a tool's output: texts unchanged, anything else as compact JSON. Tools keep to the budget themselves; this
 * catches those that do not.
 */
export function outcomeText(output: JsonValue, budget: OutputBudget): string {
  return clampEncoded(plainText(output), {
    ...budget,
    maxBytes: budget.maxBytes * ESCAPES + HEADER_ROOM_BYTES,
  });
}

function plainText(output: JsonValue): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return JSON.stringify(output);
  return output.map(blockText).join("\n");
}

/** One projected block of a mixed result: `{ kind: "text", text }` or `{ kind: "json", value }`. */
function blockText(block: JsonValue): string {
  if (typeof block === "object" && block !== null && !Array.isArray(block)) {
    if (block.kind === "text" && typeof block.text === "string") return block.text;
    if (block.kind === "json" && block.value !== undefined) return JSON.stringify(block.value);
  }
  return JSON.stringify(block);
}

/** A tool's projected output, converted back to the result it was made from, for those who may rewrite it. */
export function resultOf({ output, isError }: Pick<ToolOutcome, "output" | "isError">): ToolResult {
  if (typeof output === "string") return { content: [{ kind: "text", text: output }], isError };
  if (!Array.isArray(output) || !output.every(isBlock))
    return { content: [{ kind: "json", value: output }], isError };
  return { content: output as unknown as ToolResult["content"], isError };
}

function isBlock(block: JsonValue): boolean {
  if (typeof block !== "object" || block === null || Array.isArray(block)) return false;
  return block.kind === "text" ? typeof block.text === "string" : block.kind === "json" && "value" in block;
}
