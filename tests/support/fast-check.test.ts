import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import * as fc from "./fast-check.ts";
import { isLong } from "./long-form.ts";

const HERE = "tests/support/fast-check.test.ts";

function drawn(): readonly number[] {
  const values: number[] = [];
  fc.assert(
    fc.property(fc.nat(), (value) => void values.push(value)),
    { numRuns: 20 },
  );
  return values;
}

/** The fixture's line in the message of a refuted property. */
function fixtureIn(error: unknown): fc.Refuted {
  const line = /^\{"test":.*\}$/m.exec((error as Error).message)?.[0];
  return JSON.parse(line ?? "null") as fc.Refuted;
}

async function refutation(run: () => Promise<void> | void): Promise<fc.Refuted> {
  try {
    await run();
  } catch (error) {
    return fixtureIn(error);
  }
  throw new Error("the property holds");
}

describe("the seed", () => {
  it("is one and the same in every property and every run, unless FUZZ_SEED names another", () => {
    expect(drawn()).toEqual(drawn());
    const script = `import fc from "fast-check"; console.log(fc.sample(fc.nat(), { numRuns: 1, seed: 20261122 })[0])`;
    const first = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    if (process.env.FUZZ_SEED === undefined) expect(drawn()[0]).toBe(Number(first));
  });
});

// Their table takes a second to build.
it.runIf(isLong)("any character is drawn and made small as fast-check's own unit does it", () => {
  const script = `import * as fc from "fast-check";
    const text = fc.string({ unit: "binary", maxLength: 40 });
    const { counterexample, counterexamplePath } = fc.check(fc.property(text, (each) => each.length < 9), { seed: 5 });
    console.log(JSON.stringify([fc.sample(text, { numRuns: 300, seed: 7 }), counterexample, counterexamplePath]));`;
  const theirs = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const text = fc.string({ unit: "binary", maxLength: 40 });
  const { counterexample, counterexamplePath } = fc.check(
    fc.property(text, (each) => each.length < 9),
    { seed: 5 },
  );
  expect([fc.sample(text, { numRuns: 300, seed: 7 }), counterexample, counterexamplePath]).toEqual(
    JSON.parse(theirs),
  );
});

describe("a refuted seed", () => {
  const isSmall = fc.property(fc.nat(), (value) => value < 1_000);
  const isSmallLater = fc.asyncProperty(fc.nat(), async (value) => value < 1_000);

  it("is printed as the line to keep", async () => {
    const refuted = await refutation(() => fc.assert(isSmall));
    expect(refuted).toEqual({
      test: `${HERE} > a refuted seed > is printed as the line to keep`,
      seed: expect.any(Number),
      path: expect.stringMatching(/^\d+(:\d+)*$/),
    });
    expect(await refutation(() => fc.assert(isSmallLater))).toEqual(refuted);
  });

  it("is played before any other, in its test alone, and leads to the same small input", async () => {
    const { seed, path } = await refutation(() => fc.assert(isSmall));
    const kept = [{ test: `${HERE} > ${expect.getState().currentTestName}`, seed, path }];
    const seen: number[] = [];
    const watched = fc.property(fc.nat(), (value) => {
      seen.push(value);
      return value !== 1_000;
    });
    expect(await refutation(() => fc.assert(watched, { seed: 1 }, kept))).toMatchObject({ seed });
    expect(seen).toEqual([1_000]);
    const elsewhere = kept.map((each) => ({ ...each, test: "another test" }));
    fc.assert(watched, { seed: 1 }, elsewhere);
  });
});
