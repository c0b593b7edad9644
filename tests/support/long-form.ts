// `npm run test:all` gives some tests a long form: every cell of a matrix instead of its pairs, many runs instead of one.
// `npm test` runs the short form, which fails on the same defects.

/** Whether this run takes its time. */
export const isLong: boolean = process.env.INDUS_TESTS === "all";
