// The cells of the matrix that lean on the operating system, at the next level: where there is no bubblewrap. `npm test` runs
// one for each kind, `npm run test:all` every cell.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { rows } from "../support/long-form.ts";
import { lacks } from "../support/needs.ts";
import { allCombinations, covering, valuesOf } from "../support/pairs.ts";
import { type Bench, openBench } from "./bench.ts";
import { expectContained } from "./expect-contained.ts";
import {
  type Behaviour,
  type Cell,
  impossible,
  KINDS,
  MISSING_KINDS,
  nameOf,
  type Point,
} from "./hook-points.ts";
import { runCell } from "./run-cell.ts";

const BEHAVIOURS: readonly Behaviour[] = [
  "hangs",
  "exits",
  "is-killed",
  "allocates",
  "forks",
  "ignores-sigterm",
];
const POINTS: readonly Point[] = ["tool:before", "tool"];
const AXES = { kind: KINDS, behaviour: BEHAVIOURS, point: POINTS } as const;
const isPossible = (cell: Cell): boolean => impossible(cell) === undefined;
const ALL: readonly Cell[] = allCombinations(AXES, isPossible);
const REPRESENTATIVES = new Set(covering(ALL, ({ kind }) => valuesOf({ kind })));
const CELLS = rows(ALL, (cell) => REPRESENTATIVES.has(cell));

const sandbox = createSandbox({ prefer: "landlock" });
const isThere: boolean = sandbox.levelFor({ isNode: false }) === "landlock";

describe.skipIf(lacks("Landlock", isThere))("under Landlock and seccomp", { timeout: 60_000 }, () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(sandbox);
  });
  afterAll(() => bench?.close());

  it("is the level that is in force", () => {
    expect(bench.sandbox.levelFor({ isNode: true })).toBe("landlock");
  });

  for (const cell of CELLS)
    it.skipIf(MISSING_KINDS.has(cell.kind))(nameOf(cell), async () =>
      expectContained(cell, await runCell(cell, bench)),
    );
});
