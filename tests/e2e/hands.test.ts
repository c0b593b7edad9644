// Some of the situations that `npm run hands` measures, one of each group; all of them in the long form. The guide lists what is got.

import { expect, it } from "vitest";
import { missingFor, tryOut } from "../../bench/hands/situation.ts";
import { guideTable, SITUATIONS } from "../../bench/hands/situations.ts";
import { isLong, LONG_ONLY } from "../support/long-form.ts";
import { expectPageTable } from "../support/page-table.ts";

const isFirst = ({ group }: { readonly group: string }, at: number): boolean =>
  SITUATIONS.findIndex((other) => other.group === group) === at;

for (const situation of SITUATIONS.filter((each, at) => isLong || isFirst(each, at))) {
  // What is not installed is not one of the needs that a test run reports: any machine lacks some.
  it.skipIf(missingFor(situation) !== undefined)(`${situation.group}: ${situation.name}`, async () => {
    // A busy machine is no mistake of the product: how long it takes is for `npm run hands` to say.
    const right = { ...situation.right, seconds: Number.POSITIVE_INFINITY };
    expect((await tryOut({ ...situation, right })).wrong).toEqual([]);
  });
}

it("says what is wrong (the twin)", LONG_ONLY, async () => {
  const [row] = SITUATIONS;
  if (!row) throw new Error("no situations");
  const { wrong } = await tryOut({
    ...row,
    right: { read: ["else"], stdout: "else", code: 7, requests: 1, files: { none: "" }, bytes: 1 },
  });
  expect(wrong.map((each) => each.split(/[: ]/, 1)[0])).toEqual([
    "read",
    "stdout",
    "code",
    "none",
    "2",
    expect.any(String),
  ]);
});

it("names no situation twice, and has them all in the guide", () => {
  const names = SITUATIONS.map(({ group, name }) => `${group}: ${name}`);
  expect(new Set(names).size).toBe(names.length);
  expectPageTable("docs/guide/tools.md", "hands", guideTable());
});
