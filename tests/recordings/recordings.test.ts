import { expect, test } from "vitest";
import { loadRecordings, OWN_RECORDINGS } from "./load.ts";
import { check } from "./play.ts";

const recordings = loadRecordings(OWN_RECORDINGS);

test.each(recordings.map((recording) => [recording.id, recording] as const))(
  "%s: whole, disturbed and cut, it is what it is",
  async (_, recording) => {
    expect(recording.expected, "a fixture says what is expected of it").toBeDefined();
    expect(await check(recording)).toEqual([]);
  },
);

test("no two recordings have one name, and each wire has its own", () => {
  expect(new Set(recordings.map(({ id }) => id)).size).toBe(recordings.length);
});

test("the twin: a recording whose expectation is another is told", async () => {
  const [first] = recordings;
  if (!first) throw new Error("there is no recording");
  const problems = await check({
    ...first,
    expected: { ok: true, text: "something else" },
    mustReturn: ["no such proof"],
  });
  expect(problems).toEqual([
    expect.stringMatching(/^text: expected "something else", found /),
    'the next request lacks "no such proof"',
  ]);
});
