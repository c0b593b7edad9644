// One property of the fuzz suite: a vitest test that draws inputs with fast-check. `npm test` gives each a short run,
// `npm run fuzz` a long one. A failure prints the seed, the path to the input and the input itself, made small.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as fc from "../support/fast-check.ts";

/** Runs of a property whose one run is cheap (some microseconds). */
const cheapRuns = Number(process.env.FUZZ_RUNS ?? 300);

/** No input may take longer: computing time of this thread, so that a busy machine does not count; most take a millisecond. */
const maxRunMs = 5_000;
/** Nor wait longer. */
const maxWaitMs = 60_000;

export interface PropertyOptions {
  /** How many cheap runs one run stands for; default 1. A run that starts a process costs some hundred. */
  readonly cost?: number;
  /** Another program that it compares with; where that is not installed, the test is skipped. */
  readonly program?: string;
}

/** Registers a test that `holds` for every input of `inputs`: it throws, rejects, hangs and pollutes for none. */
export function property<Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  holds: (input: Input) => Promise<void> | void,
  { cost = 1, program }: PropertyOptions = {},
): void {
  const numRuns = Math.max(5, Math.ceil(cheapRuns / cost));
  const checked = fc.asyncProperty(inputs, async (input) => {
    const before = process.threadCpuUsage();
    await holds(input);
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 > maxRunMs)
      throw new Error(`took ${(user + system) / 1_000} ms of computing`);
  });
  const isAble = program === undefined || spawnSync(program, ["--version"]).error === undefined;
  test.runIf(isAble)(name, { timeout: 0 }, () => fc.assert(checked, { numRuns, timeout: maxWaitMs }));
}

/** Fails the file when anything run in it has left a trace on what every object inherits. */
export function watchPrototypes(): void {
  const prototypes = [Object, Array, Function, String, Number, Promise, Map].map(
    (one) => one.prototype as object,
  );
  const keys = (): readonly (readonly PropertyKey[])[] => prototypes.map((one) => Reflect.ownKeys(one));
  let before: readonly (readonly PropertyKey[])[] = [];
  beforeAll(() => {
    before = keys();
  });
  afterAll(() => expect(keys()).toEqual(before));
}
