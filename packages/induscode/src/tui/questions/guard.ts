// What was typed before a question was seen is never an answer: keys count only once the keyboard has been quiet for a
// while.

export interface Guard {
  /** How much longer keys still go to the line if none is pressed; 0 once they are answers. */
  readonly quietInMs: () => number;
  /** Call when a key was pressed. True if it may be an answer. */
  readonly press: () => boolean;
  /** From now on all keys count. */
  readonly open: () => void;
}

/** Somebody who is typing is not reading yet. */
export const QUIET_MS = 500;

export interface GuardOptions {
  readonly now: () => number;
  /** When a key was last pressed before the question was shown. */
  readonly lastKeyMs: number;
}

export function createGuard({ now, lastKeyMs }: GuardOptions): Guard {
  let quietSince = lastKeyMs;
  let isOpen = false;
  const quietInMs = (): number => (isOpen ? 0 : Math.max(0, QUIET_MS - (now() - quietSince)));
  return {
    quietInMs,
    press: () => {
      const wasQuiet = quietInMs() === 0;
      quietSince = now();
      return wasQuiet;
    },
    open: () => {
      isOpen = true;
    },
  };
}
