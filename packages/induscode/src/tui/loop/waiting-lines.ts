// The lines that a person has sent and nobody has taken yet.

import type { Submission } from "../contract.ts";

export interface WaitingLines {
  /** For the loop, which takes one when it is idle. */
  readonly add: (line: Submission) => void;
  /** For the running task, which takes all at its next step; they can be taken back until then. */
  readonly queue: (text: string) => void;
  readonly queued: () => readonly string[];
  /** Takes all that wait for the task. */
  readonly takeQueued: () => readonly string[];
  /** The next line; undefined once there will be none. What waited for a task that has ended comes first. */
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
  const queued: string[] = [];
  let wake: (() => void) | undefined;
  let hasEnded = false;
  return {
    add: (line) => {
      lines.push(line);
      wake?.();
    },
    queue: (text) => void queued.push(text),
    queued: () => queued,
    takeQueued: () => queued.splice(0),
    next: async () => {
      for (;;) {
        if (hasEnded) return undefined;
        const waiting = queued.shift();
        if (waiting !== undefined) return typedLine(waiting);
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
