// `npm run test:all` gives some tests a long form: every cell of a matrix instead of its pairs, many runs instead of one.
// `npm test` runs the short form, which fails on the same defects.

import { appendFileSync } from "node:fs";

/** Whether this run uses the long forms. */
export let isLong: boolean = process.env.INDUS_TESTS === "all";

/**
 * Call before the tests of `file`. After INDUS_LONG_UNTIL (in milliseconds since 1970) a run continues with short forms, also in the
 * processes that it starts; the files are noted in INDUS_SHORT_FORMS, which scripts/test.mjs reads.
 */
export function decideForm(file: string): void {
  const { INDUS_LONG_UNTIL, INDUS_SHORT_FORMS } = process.env;
  if (INDUS_LONG_UNTIL === undefined || Date.now() < Number(INDUS_LONG_UNTIL)) return;
  delete process.env.INDUS_TESTS;
  isLong = false;
  if (INDUS_SHORT_FORMS !== undefined) appendFileSync(INDUS_SHORT_FORMS, `${file}\n`);
}
