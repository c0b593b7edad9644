import type { JsonValue } from "../../core/schema/json-schema.ts";
import type { ToolResult } from "./contract.ts";

/** A successful result with one text. */
export function textResult(text: string): ToolResult {
  return { content: [{ kind: "text", text }], isError: false };
}

/** A refusal or failure that the model can read and act on. */
export function failureResult(message: string): ToolResult {
  return { content: [{ kind: "text", text: message }], isError: true };
}

/** A successful result with one JSON value, preceded by `text` if given. */
export function jsonResult(value: JsonValue, text?: string): ToolResult {
  const json = { kind: "json", value } as const;
  return { content: text === undefined ? [json] : [{ kind: "text", text }, json], isError: false };
}
