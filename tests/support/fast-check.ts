// fast-check as used by every test. Inputs are drawn from one fixed seed, so that `npm test` gives the same result on every
// machine; `npm run fuzz` and `npm run test:all` set a fresh one in FUZZ_SEED. A seed that once refuted a property is in
// refuted.json, and every run replays it first.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as real from "fast-check";
import { expect } from "vitest";
import { isLong } from "./long-form.ts";

export * from "fast-check";

const SURROGATES = { from: 0xd800, count: 0x800 } as const;
/**
 * Any code point that is a character by itself. Fast-check's own unit draws the same ones, after spending a second on a table
 * of all of them.
 */
const anyCharacter: real.Arbitrary<string> = real.nat(0x10ffff - SURROGATES.count).map(
  (at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count),
  (unit) => {
    const point = typeof unit === "string" ? (unit.codePointAt(0) ?? -1) : -1;
    if (point < 0 || String.fromCodePoint(point) !== unit || !unit.isWellFormed())
      throw new Error("not one character");
    return point < SURROGATES.from ? point : point - SURROGATES.count;
  },
);

/** Like fast-check's. */
export function string(constraints: real.StringConstraints = {}): real.Arbitrary<string> {
  return real.string(constraints.unit === "binary" ? { ...constraints, unit: anyCharacter } : constraints);
}

/** One line of refuted.json: the file and the test, the seed, and the path to the shrunk input. */
export interface Refuted {
  readonly test: string;
  readonly seed: number;
  readonly path: string;
}

const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
const REFUTED: readonly Refuted[] = JSON.parse(
  readFileSync(new URL("refuted.json", import.meta.url), "utf8"),
) as Refuted[];
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);
/**
 * How often a property is tried, as a fraction of its own number. With the fixed seed each run draws the same inputs: a sixth
 * suffices. `npm run fuzz` uses the full number, and the long form four times as much.
 */
function length(): number {
  return isLong ? 4 : process.env.FUZZ_RUNS === undefined ? 1 / 6 : 1;
}

real.configureGlobal({ seed: SEED });

/** Like fast-check's, for a test: first replays what refuted the property before, and says how to record a new one. */
export function assert<Inputs>(
  property: real.IAsyncProperty<Inputs>,
  parameters?: real.Parameters<Inputs>,
  refuted?: readonly Refuted[],
): Promise<void>;
export function assert<Inputs>(
  property: real.IProperty<Inputs>,
  parameters?: real.Parameters<Inputs>,
  refuted?: readonly Refuted[],
): void;
export function assert<Inputs>(
  property: real.IRawProperty<Inputs>,
  parameters: real.Parameters<Inputs> = {},
  refuted: readonly Refuted[] = REFUTED,
): Promise<void> | void {
  const test = nameOfTest();
  const before = refuted
    .filter((each) => each.test === test)
    .map(({ seed, path }) => ({ ...parameters, numRuns: 1, seed, path, endOnFailure: true }));
  const runs = [...before, { ...parameters, numRuns: Math.ceil((parameters.numRuns ?? 100) * length()) }];
  const told = (details: real.RunDetails<Inputs>): void => tell(details, test);
  if (!property.isAsync()) {
    for (const each of runs) told(real.check(property as real.IProperty<Inputs>, each));
    return;
  }
  return runs.reduce(
    (earlier, each) =>
      earlier.then(() => real.check(property as real.IAsyncProperty<Inputs>, each)).then(told),
    Promise.resolve(),
  );
}

function nameOfTest(): string {
  const { testPath = "", currentTestName = "" } = expect.getState();
  return `${relative(ROOT, testPath)} > ${currentTestName}`;
}

function tell<Inputs>(details: real.RunDetails<Inputs>, test: string): void {
  const problem = real.defaultReportMessage(details);
  if (problem === undefined) return;
  const refuted = { test, seed: details.seed, path: details.counterexamplePath ?? "" };
  throw new Error(
    `${problem}\n\nFor tests/support/refuted.json, which every run plays:\n${JSON.stringify(refuted)}\n`,
    { cause: details.errorInstance },
  );
}
