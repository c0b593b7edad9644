// Outcomes in the protocol's form.

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { CallOutcome } from "../../../deck/contract.ts";
import type { TaskResult } from "./run-task.ts";

type Content = CallToolResult["content"][number];

export function resultOf({ text, output, images = [], isError }: CallOutcome): CallToolResult {
  const said = text ?? (typeof output === "string" ? output : JSON.stringify(output));
  const shown = images.map(({ mediaType, data }, at): Content => {
    if (mediaType.startsWith("image/")) return { type: "image", data, mimeType: mediaType };
    return {
      type: "resource",
      resource: { uri: `indus:attachment/${at + 1}`, mimeType: mediaType, blob: data },
    };
  });
  return { content: [{ type: "text", text: said }, ...shown], isError };
}

export function taskResult({ text, isError, session }: TaskResult): CallToolResult {
  const named = session === undefined ? [] : [{ type: "text", text: `session: ${session}` } as const];
  return { content: [{ type: "text", text }, ...named], isError };
}
