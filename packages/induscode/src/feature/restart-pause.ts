// How long a failed task waits before it is started again: what it needs may be back by then, and until then it costs next
// to nothing, and neither does it come at the same moment as every other.

/** The first pause, in milliseconds; each further one is twice as long. */
export const FIRST_PAUSE_MS = 1_000;
/** The longest pause; a run of this length was healthy, and the pauses begin anew after it. */
export const LONGEST_PAUSE_MS: number = 5 * 60 * 1_000;
/** A pause is up to this part of itself shorter or longer. */
const JITTER = 0.25;

/** `failures` in a row, 1 or more; `random` is from 0 up to 1. Never longer than the longest pause. */
export function restartPauseMs(failures: number, random: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return Math.round(Math.min(LONGEST_PAUSE_MS, pause * (1 - JITTER + 2 * JITTER * random)));
}
