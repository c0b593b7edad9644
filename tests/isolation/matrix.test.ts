// The isolation matrix: what an addon may do wrong, at every place where it runs, by every kind of addon, each in the
// strongest sandbox of this machine. Whoever else is there goes on, the fault names the addon, the host's memory holds, and
// no process is left. `npm test` runs few cells that hold each value of the three, `npm run test:all` every cell. That each of these programs
// is really harmful: `twins.test.ts`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWasm } from "../../packages/induscode/src/addons/runners/check-wasm.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { rows } from "../support/long-form.ts";
import { type Bench, openBench } from "./bench.ts";
import { expectContained } from "./expect-contained.ts";
import {
  ALL_CELLS,
  BEHAVIOURS,
  type Cell,
  IMPOSSIBLE_IN_WASM,
  KINDS,
  MISSING_KINDS,
  nameOf,
  PLACES,
  POINTS,
  placeOf,
  REPRESENTATIVES,
} from "./hook-points.ts";
import { type CellRun, runCells } from "./run-cells.ts";
import { wasmImporting } from "./wasm-importing.ts";

const TIMEOUT_MS = 900_000;
const MAX_GROWTH_BYTES = 50 * 1024 * 1024;
const cells: readonly Cell[] = rows(ALL_CELLS, (cell) => REPRESENTATIVES.has(cell));

let bench: Bench;
let run: CellRun;
beforeAll(async () => {
  bench = await openBench(createSandbox());
  run = runCells(
    cells.filter(({ kind }) => !MISSING_KINDS.has(kind)),
    bench,
  );
}, 120_000);
afterAll(async () => {
  await run?.stop();
  await bench?.close();
});

describe("the cells", () => {
  it("are all that can be; of the short form hold each behaviour, each kind and each place", () => {
    const impossible = Object.keys(IMPOSSIBLE_IN_WASM).length;
    const onceOnly = 5 * (KINDS.length - 1); // points where nothing adds up; wasm has no adding up at all
    expect(ALL_CELLS).toHaveLength(
      (BEHAVIOURS.length * KINDS.length - impossible) * POINTS.length - onceOnly,
    );
    expect(Object.values(PLACES).flat().sort()).toEqual([...POINTS].sort());
    const few = [...REPRESENTATIVES];
    expect(new Set(few.map(({ behaviour }) => behaviour))).toEqual(new Set(BEHAVIOURS));
    expect(new Set(few.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    expect(new Set(few.map(({ point }) => placeOf(point)))).toEqual(new Set(Object.keys(PLACES)));
    expect(few.length).toBeLessThan(30);
  });

  it.each(Object.entries(IMPOSSIBLE_IN_WASM))("of wasm x %s cannot be: %s", () => {
    const found = checkWasm(wasmImporting("wasi_snapshot_preview1", "proc_exit"), 16);
    expect(found).toMatch(
      /imports "wasi_snapshot_preview1.proc_exit"; it may import only the function indus\.host_call, once/,
    );
  });
});

for (const behaviour of BEHAVIOURS) {
  describe(behaviour, { timeout: TIMEOUT_MS }, () => {
    for (const cell of cells.filter((each) => each.behaviour === behaviour))
      it.skipIf(MISSING_KINDS.has(cell.kind))(nameOf(cell), async () =>
        expectContained(cell, await run.result(cell)),
      );

    it("the host's memory grew by less than 50 MB", async () => {
      expect(await run.grownBytes(behaviour)).toBeLessThan(MAX_GROWTH_BYTES);
    });
  });
}
