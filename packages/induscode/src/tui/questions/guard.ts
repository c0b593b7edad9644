// What was typed before a question was seen is never an answer: keys count only once it has stood there, with nobody typing,
// for a while.

export interface Guard {
  /** How much longer keys still go to the line if none is pressed; 0 once they are answers. */
  readonly quietInMs: () => number;
  /** Call when a key was pressed. True if it may be an answer. */
  readonly press: () => boolean;
  /** Another program had the screen; now it shows the question. */
  readonly appear: () => void;
  /** It has moved: nobody has read it there. */
  readonly readAgain: () => void;
  /** From now on all keys count. */
  readonly open: () => void;
}

/** Somebody who is typing is not reading yet, and nobody has read what has just appeared. */
export const QUIET_MS = 500;

export interface GuardOptions {
  readonly now: () => number;
  /** The person's last key asked for it: all keys count. */
  readonly isAskedFor?: boolean;
}

/** The guard of a question that is shown now. */
export function createGuard({ now, isAskedFor = false }: GuardOptions): Guard {
  let quietSince = now();
  let isOpen = isAskedFor;
  const quietInMs = (): number => (isOpen ? 0 : Math.max(0, QUIET_MS - (now() - quietSince)));
  return {
    quietInMs,
    press: () => {
      const wasQuiet = quietInMs() === 0;
      quietSince = now();
      return wasQuiet;
    },
    appear: () => {
      quietSince = now();
    },
    readAgain: () => {
      quietSince = now();
      isOpen = isAskedFor;
    },
    open: () => {
      isOpen = true;
    },
  };
}
