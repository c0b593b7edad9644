// No test knows how fast its machine is: nothing is asserted of a time on the wall, nothing is asserted after a while that was
// only slept, and what is waited for has the patience of tests/support/until.ts. Effort is measured by tests/support/effort.ts.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** What may not stand in a test, and what stands there instead. */
const FORBIDDEN: readonly (readonly [what: RegExp, instead: string])[] = [
  [
    /expect\((?=[^;]*(?:performance\.now|monotonicMs|Date\.now)\(\) -)[^;]*\)\s*\.to(?:Be|Equal)(?:Less|Greater|Close)/,
    "count steps, or judge the growth of the effort (growthOf)",
  ],
  [
    /\b(?:vi\.wait(?:For|Until)|expect\.poll)\(/,
    "until() or untilHolds(): a second is not enough for every machine",
  ],
  [
    /await (?:new Promise(?:<\w+>)?\(\((\w+)\) => setTimeout\(\1,[^\n]*|(?:sleep|delay|pause|wait|setTimeout)\([\d_]+[^\n]*)\n(?:\s*const [^\n]*\n)?\s*(?:await )?expect\b/,
    "until() or untilHolds() for what comes, goesOnHolding() for what must not",
  ],
  [/\bsleep [\d.]+; *(?:test\b|\[)/, "a loop until it is so: until [ -s file ]; do sleep .05; done"],
  [
    /\btimeout: (?:\d{2,4}|\d_\d{3})\b(?! \*)|AbortSignal\.timeout\((?:\d{1,4}|\d_\d{3})\)/,
    "PATIENCE_MS: what must come has a minute on every machine",
  ],
];

/** Where a time is compared that no machine changes, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  "packages/indusagi/src/capabilities/shell/job-output.test.ts":
    "a pace is a time; it is bounded below, and a slow machine only adds to it",
  "packages/induscode/src/store/unused-entries.test.ts": "a file's date, within an hour",
  "packages/indusagi/src/capabilities/backends/local-fs.test.ts": "its twins hang, and are ended",
  "packages/induscode/src/addons/sandbox/command-reach.test.ts": "what must not go on is looked at twice",
  "tests/bombs/twins.test.ts": "its twins hang, and are ended",
  "packages/induscode/src/addons/process/protocol/peer.test.ts": "a clock that the test moves",
};

function offences(text: string): readonly string[] {
  return FORBIDDEN.flatMap(([what, instead]) => {
    const found = what.exec(text)?.[0];
    return found === undefined ? [] : [`${found.split("\n")[0]} - ${instead}`];
  });
}

it("no test asserts a time on the wall", () => {
  const files = globSync(["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "tests/**/*.test.ts"], {
    cwd: ROOT,
  }).sort();
  expect(files.length).toBeGreaterThan(100);
  const found = files
    .filter((file) => !(file in ALLOWED) && file !== "tests/no-clock.test.ts")
    .flatMap((file) => offences(readFileSync(join(ROOT, file), "utf8")).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

it.each([
  "expect(performance.now() - started).toBeLessThan(50);",
  "expect(performance.now() - naiveStarted).toBeGreaterThan(25);",
  "expect(\n  20_000 / ((monotonicMs() - before) / 1_000),\n).toBeGreaterThan(10_000);",
  "await vi.waitFor(() => expect(told).toEqual([]));",
  "await new Promise((resolve) => setTimeout(resolve, 300));\n  expect(told).toEqual([]);",
  "await sleep(20); // it has begun\n  const now = told();\n  expect(now).toEqual([]);",
  "sleep 0.3; test -s file",
  "execFileSync(program, { timeout: 5_000 });",
  "AbortSignal.timeout(5_000)",
])("and one that did would be found: %s", (line) => {
  expect(offences(line)).toHaveLength(1);
});
