// What was typed before a question was seen is never an answer: keys count from the moment on in which the keyboard has been
// quiet for a while.

export interface Guard {
  /** For how long keys still go to the line, if none comes: 0 where they are answers. */
  readonly quietInMs: () => number;
  /** A key was pressed. True when it may be an answer. */
  readonly press: () => boolean;
  /** From now on all are. */
  readonly open: () => void;
}

/** A person who types is not reading yet. */
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
