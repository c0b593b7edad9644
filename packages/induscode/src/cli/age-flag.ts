import { EXIT_USAGE, Problem } from "./problem.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const UNITS: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS };

/** Parses `--flag 30d` into milliseconds. */
export function ageFlag(flag: string, age: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([hdwy])$/.exec(age) ?? [];
  const ms = UNITS[unit];
  if (ms === undefined)
    throw new Problem(`--${flag} takes an age such as 12h, 30d, 8w or 1y; got "${age}"`, EXIT_USAGE);
  return Number(count) * ms;
}
