// A feature's words in a line of the host: in a list of commands, in a prompt, after an id.

import { clamp, printable } from "indusagi/core";

/** `text` on one line, cut at `maxBytes`: what follows a line break must not pass for the host's next line. */
export function oneLine(text: string, maxBytes: number): string {
  const line = printable(text)
    .replace(/[\s\u2028\u2029]+/gu, " ")
    .trim();
  return clamp(line, { kind: "head", maxBytes, notice: () => "…" });
}
