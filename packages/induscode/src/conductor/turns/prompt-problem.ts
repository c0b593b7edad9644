// Whether a prompt can be sent, before it is: a provider refuses what is blank or no picture, and every later request that contains it.

import { pictureIn } from "indusagi/capabilities";
import { briefValue, isTable } from "indusagi/core";

const EXPECTED = "expected a text, or a list of blocks that are texts and images";

/** Why it cannot be; undefined if it can. */
export function promptProblem(prompt: unknown): string | undefined {
  if (typeof prompt === "string") return prompt.trim() === "" ? "the prompt is blank" : undefined;
  if (!Array.isArray(prompt) || prompt.length === 0)
    return `the prompt cannot be sent: ${EXPECTED}, found ${briefValue(prompt)}`;
  for (const [at, block] of prompt.entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) return `block ${at} of the prompt cannot be sent: ${problem}`;
  }
  return undefined;
}

function blockProblem(block: unknown): string | undefined {
  const { kind, text, mediaType, data } = isTable(block) ? block : {};
  if (kind === "text" && typeof text === "string")
    return text.trim() === "" ? "its text is blank" : undefined;
  if (kind !== "image" || typeof data !== "string") return `${EXPECTED}, found ${briefValue(block)}`;
  const is = pictureIn(Buffer.from(data, "base64"))?.mediaType;
  if (is === undefined) return "its data is no picture in base64";
  return is === mediaType ? undefined : `its data is ${is}, and its mediaType ${briefValue(mediaType)}`;
}
