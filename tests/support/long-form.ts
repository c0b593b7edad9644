// What `npm test` leaves to `npm run test:all` (tests/README.md says what belongs where). There some tests have a long form: every row
// of a table instead of those that represent their class, many runs instead of one, and tests of their own. The end of a run says how
// many rows it left: scripts/test.mjs counts them.

import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type TestOptions } from "vitest";

/** Whether this run uses the long forms. */
export const isLong: boolean = process.env.INDUS_TESTS === "all";

/** Every row of a table in the long form; else those that represent their class, of which there must be one. */
export function rows<const Row>(
  table: readonly Row[],
  represents: (row: Row, at: number) => boolean,
): readonly Row[] {
  if (isLong) return table;
  const kept = table.filter(represents);
  if (kept.length === 0 && table.length > 0) throw new Error("no row of this table represents it");
  noteLeft(table.length - kept.length);
  return kept;
}

/** The first row of each class. */
export function firstOf<Row>(classOf: (row: Row) => unknown): (row: Row) => boolean {
  const seen = new Set<unknown>();
  return (row) => seen.size < seen.add(classOf(row)).size;
}

/** Only the first row. */
export function theFirst(_row: unknown, at: number): boolean {
  return at === 0;
}

const OF_LONG_FORM = { tags: ["long"] } as const satisfies TestOptions;
const LEFT: TestOptions = { ...OF_LONG_FORM, skip: true };

/** Options of a test, or a group of tests, that only the long form plays, since something quicker represents its class. */
export const LONG_ONLY: TestOptions = isLong ? OF_LONG_FORM : LEFT;

const { now } = Date; // a test may put another clock in its place

/** Whether there is time for another test: until INDUS_LONG_UNTIL (in milliseconds since 1970), if that is set. */
export function isInTime(): boolean {
  const until = process.env.INDUS_LONG_UNTIL;
  return until === undefined || now() < Number(until);
}

/** Notes in INDUS_UNPLAYED, which scripts/test.mjs reads, that there was no time for `file`, or for the rest of it. */
export function noteUnplayed(file: string): void {
  const notes = process.env.INDUS_UNPLAYED;
  if (notes !== undefined) appendFileSync(notes, `${file}\n`);
}

const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** Where tests/support/needs.ts notes what is skipped for another reason. */
function noteLeft(left: number): void {
  const notes = process.env.INDUS_TEST_NEEDS;
  if (left === 0 || notes === undefined) return;
  const file = relative(ROOT, expect.getState().testPath ?? "");
  appendFileSync(notes, `${JSON.stringify({ file, left })}\n`);
}
