// The lines that a person has sent and nobody has taken yet.

import type { Submission } from "../contract.ts";

export interface WaitingLines {
  /** For the loop, which takes one when it is idle. */
  readonly add: (line: Submission) => void;
  /** The next line; undefined once there will be none. */
  readonly next: () => Promise<Submission | undefined>;
  /** There will be none any more. */
  readonly end: () => void;
}

/** A line without pictures and pasted texts. */
export function typedLine(text: string): Submission {
  return { text, shown: text, images: [] };
}

export function createWaitingLines(): WaitingLines {
  const lines: Submission[] = [];
  let wake: (() => void) | undefined;
  let hasEnded = false;
  return {
    add: (line) => {
      lines.push(line);
      wake?.();
    },
    next: async () => {
      for (;;) {
        if (hasEnded) return undefined;
        const line = lines.shift();
        if (line !== undefined) return line;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    },
    end: () => {
      hasEnded = true;
      wake?.();
    },
  };
}
