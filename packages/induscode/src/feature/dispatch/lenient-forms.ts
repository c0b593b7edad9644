// Alternative forms that authors write: a string for content of one text, `type` for `kind`. They are normalized here to the
// one form that is checked and logged; anything else is left alone, so that a refusal can name its place.

import { isTable } from "indusagi/core";

/** Content as blocks: a string is one block, a block may be a string, and its kind may be called `type`. */
export function readContent(content: unknown): unknown {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return Array.isArray(content) ? content.map(readBlock) : content;
}

/** Reads `content`; `role` is used when the message has none. */
export function readChatMessage(message: unknown, role?: string): unknown {
  if (!isTable(message)) return message;
  const { content } = message;
  const named = message.role === undefined && role !== undefined ? { role, ...message } : message;
  return content === undefined ? named : { ...named, content: readContent(content) };
}

function readBlock(block: unknown): unknown {
  if (typeof block === "string") return { kind: "text", text: block };
  if (!isTable(block)) return block;
  const { type, kind = type, ...rest } = block;
  if (typeof kind !== "string") return block;
  // undefined in JavaScript is absent in JSON, while null is a value.
  return kind === "json" ? { kind, value: null, ...rest } : { kind, ...rest };
}
