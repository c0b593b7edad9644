// The lines that a person has sent and nothing has taken yet.

import type { Submission } from "../contract.ts";

export interface WaitingLines {
  /** Adds a line for the loop, which takes one when idle. */
  readonly add: (line: Submission) => void;
  /** Adds a line before those that wait. */
  readonly addFirst: (line: Submission) => void;
  /** The next line; undefined once no more will come. */
  readonly next: () => Promise<Submission | undefined>;
  /** No more lines will come. */
  readonly end: () => void;
}

/** A line without pictures or pasted texts. */
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
    addFirst: (line) => {
      lines.unshift(line);
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
