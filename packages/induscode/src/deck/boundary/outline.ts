// What a feature that could not have made the call itself is shown of a result: that there is one, and how large.

import type { ToolResult } from "indusagi/capabilities";

/** The same result without its content. */
export function outlineOf({ content, isError }: ToolResult): ToolResult {
  const text = content.map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)));
  return { content: [{ kind: "text", text: outlineText(text.join("\n"), isError) }], isError };
}

export function outlineText(text: string, isError: boolean): string {
  const how = isError ? "an error" : "a result";
  return `[${how} of ${Buffer.byteLength(text)} bytes, not shown: another addon changed this call, which you are not allowed to make]`;
}
