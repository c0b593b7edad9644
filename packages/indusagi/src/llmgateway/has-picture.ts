import type { ImageBlock, Message } from "./contract.ts";

/** What is shown: documents are read as pictures of their pages, and fewer models accept them. */
export type Shown = "picture" | "document";

export function kindOf({ mediaType }: ImageBlock): Shown {
  return mediaType === "application/pdf" ? "document" : "picture";
}

/** Whether a message contains something of that kind. */
export function shows(message: Message, kind: Shown): boolean {
  const blocks = message.role === "tool" ? (message.images ?? []) : message.content;
  return blocks.some((block) => block.kind === "image" && kindOf(block) === kind);
}

/** Whether a message contains a picture or a document. */
export function hasPicture(message: Message): boolean {
  return shows(message, "picture") || shows(message, "document");
}

/** What the model reads instead of what it cannot see. */
export function lineFor(block: ImageBlock, who = "this model"): string {
  const kind = kindOf(block);
  const otherwise = kind === "document" ? " A command can extract its text (pdftotext)." : "";
  return `[A ${kind} (${block.mediaType}) is omitted here: ${who} cannot see it.${otherwise} Say so where it matters.]`;
}
