// How long a failed task waits before a restart: what it needs may be back by then, waiting costs next to nothing, and
// jitter keeps restarts from coinciding.

/** The first pause, in milliseconds; each further one is twice as long. */
export const FIRST_PAUSE_MS = 1_000;
/** The longest pause. A run this long was healthy, and the pauses reset after it. */
export const LONGEST_PAUSE_MS: number = 5 * 60 * 1_000;
/** The largest fraction by which a pause is shortened or lengthened. */
const JITTER = 0.25;

/** `failures` in a row, at least 1; `random` is in [0, 1). Never longer than the longest pause. */
export function restartPauseMs(failures: number, random: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return Math.round(Math.min(LONGEST_PAUSE_MS, pause * (1 - JITTER + 2 * JITTER * random)));
}

/** For people: `850 ms`, `4 s`, `5 min`. */
export function inWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}
