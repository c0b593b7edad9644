import { describe, expect, it } from "vitest";
import { MessageReader } from "./ripgrep-messages.ts";

/** The result of reading messages that arrive in two chunks. */
function readCut(text: string, at: number): ReturnType<MessageReader["read"]> {
  const bytes = Buffer.from(text);
  const reader = new MessageReader("/trée");
  reader.write(bytes.subarray(0, at));
  reader.write(bytes.subarray(at));
  return reader.read();
}

describe("complaints of ripgrep", () => {
  it.each([
    [
      "of files",
      "rg: /trée/a\nb: Permission denied (os error 13)\nrg: /trée/c: gone (os error 2)\n",
      [undefined, 1],
    ],
    [
      "of a path longer than what is kept",
      `rg: /trée/${"d/".repeat(4_000)}: too long (os error 36)\n`,
      [undefined, 1],
    ],
    [
      "of the pattern",
      "rg: regex parse error:\n    (\n    ^\nerror: unclosed group\n",
      ["unclosed group", 0],
    ],
    ["none", "", [undefined, 0]],
  ] as const)("%s are the same wherever they are cut", (_what, text, expected) => {
    for (let at = 0; at <= Buffer.byteLength(text); at += text.length > 1_000 ? 61 : 1) {
      const { patternProblem, omissions } = readCut(text, at);
      expect([patternProblem, omissions.unreadable], `cut at ${at}`).toEqual(expected);
    }
  });
});
