// The last lines that a process wrote to its standard error: usually why it ended.

import { oneLine } from "../../feature/one-line.ts";

interface LastLines {
  readonly add: (text: string) => void;
  /** A sentence that quotes them, to append to another one; empty if nothing was written. */
  readonly inWords: () => string;
}

const MAX_LINES = 3;
/** How much is kept, in characters. */
const MAX_KEPT = 4_000;
const MAX_SHOWN_BYTES = 400;

export function createLastLines(): LastLines {
  let kept = "";
  return {
    add(text) {
      kept = (kept + text).slice(-MAX_KEPT);
    },
    inWords() {
      const lines = kept.split(/\r\n|[\n\r]/).filter((line) => line.trim() !== "");
      if (lines.length === 0) return "";
      const share = Math.floor(MAX_SHOWN_BYTES / Math.min(lines.length, MAX_LINES));
      const shown = lines.slice(-MAX_LINES).map((line) => oneLine(line, share));
      return `. Its last output: ${shown.join(" ⏎ ")}`;
    },
  };
}
