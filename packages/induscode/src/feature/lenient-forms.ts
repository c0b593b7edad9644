// Forms that authors write for the same thing: a text for content of one text, `type` for `kind`. Here they become the
// one form that is checked and logged; everything else stays as it is, to be refused by its place.

import { isTable } from "indusagi/core";

/** Content as blocks: a text is one block, a block may be a text, and its kind may be called `type`. */
export function readContent(content: unknown): unknown {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return Array.isArray(content) ? content.map(readBlock) : content;
}

/** `content` read; the role is `role` where the message has none. */
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
  // What is undefined in JavaScript is not there in JSON, and null is a value.
  return kind === "json" ? { kind, value: null, ...rest } : { kind, ...rest };
}
