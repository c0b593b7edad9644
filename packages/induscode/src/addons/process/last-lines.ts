// The last lines that a process wrote to its standard error: usually why it ended.
// Where one of them says so itself, it comes first: a runtime writes its stack and its version behind it.

import { oneLine } from "../../feature/registration/one-line.ts";

interface LastLines {
  readonly add: (text: string) => void;
  /** They on one line; empty if nothing was written. Of one that ended before it did anything, an error in its very first line comes first. */
  readonly text: (didNothing?: boolean) => string;
  /** A sentence that quotes them, to append to another one; empty if nothing was written. */
  readonly inWords: () => string;
}

const MAX_LINES = 3;
/** How much is kept, in characters. */
const MAX_KEPT = 4_000;
const MAX_SHOWN_BYTES = 400;
/** `Error: …`, `ModuleNotFoundError: …`, `Uncaught TypeError [CODE]: …`, `[21] Fatal error: TypeError: …`, `[cause]: Error: …`. */
const REASON =
  /^\s*(?:\[[^\]]{0,40}\]:? )?(?:[Uu]ncaught |[Ff]atal (?:error|exception): )?[\w.$]*(?:Error|Exception)\b[^:]{0,80}:/;
const MAX_FIRST = 1_000;
/** Further back, an error is one that it survived. */
const MAX_BEHIND_REASON = 30;
/** What runtimes add to a reason: frames, marks and their version. */
const FRAME = /^\s*(?:at .*|\^+|[{}\])]+;?|Node\.js v.*)$/;

export function createLastLines(): LastLines {
  let kept = "";
  let first = "";
  const text = (didNothing = false): string => {
    const lines = kept
      .split(/\r\n|[\n\r]/)
      .filter((line, at, all) => line.trim() !== "" && line !== all[at - 1]);
    const reason = lines.findLastIndex((line) => REASON.test(line));
    const [begun = ""] = first.trimStart().split(/\r\n|[\n\r]/);
    const told =
      reason < 0 || lines.length - reason > MAX_BEHIND_REASON
        ? didNothing && REASON.test(begun)
          ? [begun, ...lines.slice(1 - MAX_LINES)]
          : lines.slice(-MAX_LINES)
        : lines
            .slice(reason)
            .filter((line) => !FRAME.test(line))
            .slice(0, MAX_LINES);
    const share = Math.floor(MAX_SHOWN_BYTES / Math.max(1, told.length));
    return told.map((line) => oneLine(line, share)).join(" ⏎ ");
  };
  return {
    add(more) {
      if (first.length < MAX_FIRST) first += more.slice(0, MAX_FIRST);
      kept = (kept + more).slice(-MAX_KEPT);
    },
    text,
    inWords() {
      const words = text();
      return words === "" ? "" : `. Its last output: ${words}`;
    },
  };
}
