// The content of a `user` message as what the model is sent.

import { pictureIn } from "indusagi/capabilities";
import { isTable } from "indusagi/core";
import type { UserContent } from "../../conductor/contract.ts";

/** Undefined if there is nothing in it; what is left out is told. */
export function userContent(message: unknown, tell: (line: string) => void): UserContent | undefined {
  const content = isTable(message) ? message.content : undefined;
  if (typeof content === "string")
    return content.trim() === "" ? undefined : [{ kind: "text", text: content }];
  if (!Array.isArray(content)) return undefined;
  const blocks = content.flatMap((block): UserContent => {
    if (!isTable(block)) return [];
    // A provider refuses a request with a blank text, and every later one that contains it.
    if (block.type === "text" && typeof block.text === "string")
      return block.text.trim() === "" ? [] : [{ kind: "text", text: block.text }];
    if (block.type === "image" && isTable(block.source) && typeof block.source.data === "string") {
      const mediaType = pictureIn(Buffer.from(block.source.data, "base64"))?.mediaType;
      if (mediaType !== undefined) return [{ kind: "image", mediaType, data: block.source.data }];
    }
    tell(
      `a block of the kind ${JSON.stringify(block.type)} is not sent: expected text, or an image in base64`,
    );
    return [];
  });
  return blocks.length === 0 ? undefined : blocks;
}
