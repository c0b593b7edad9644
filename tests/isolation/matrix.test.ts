// The isolation matrix (the issue, "Isolation"): every misbehaviour at every hook point by every kind of addon, each in
// the strongest sandbox of this machine. Whoever else is there goes on, the fault names the addon, the deadline holds, the
// host's memory does, and no process is left. That each of these programs is really harmful: `twins.test.ts`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWasm } from "../../packages/induscode/src/addons/runners/check-wasm.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { type Bench, openBench } from "./bench.ts";
import { expectContained } from "./expect-contained.ts";
import { allCells, BEHAVIOURS, type Cell, KINDS, nameOf } from "./hook-points.ts";
import { type CellRun, runCells } from "./run-cells.ts";
import { impossible, LIMITS } from "./symptoms.ts";
import { wasmImporting } from "./wasm-importing.ts";

const TIMEOUT_MS = 400_000;
const MAX_GROWTH_BYTES = 50 * 1024 * 1024;
const cells: readonly Cell[] = allCells();

let bench: Bench;
let run: CellRun;
beforeAll(async () => {
  bench = await openBench(createSandbox());
  run = runCells(
    cells.filter((cell) => impossible(cell) === undefined),
    bench,
  );
}, 60_000);
afterAll(() => bench?.close());

for (const behaviour of BEHAVIOURS) {
  describe(behaviour, { timeout: TIMEOUT_MS }, () => {
    for (const cell of cells.filter((each) => each.behaviour === behaviour)) {
      const reason = impossible(cell);
      if (reason === undefined) it(nameOf(cell), async () => expectContained(cell, await run.result(cell)));
      else
        it(`${nameOf(cell)}: cannot, ${reason}`, () => {
          const found = checkWasm(wasmImporting("wasi_snapshot_preview1", "proc_exit"), 16);
          expect(found).toMatch(
            /imports "wasi_snapshot_preview1.proc_exit"; the function indus.host_call is all/,
          );
        });
    }

    const limit = LIMITS.get(behaviour);
    if (limit !== undefined)
      it.each(KINDS)("%s: the limit itself was met, and not the deadline alone", async (kind) => {
        const own = await Promise.all(
          cells.filter((cell) => cell.behaviour === behaviour && cell.kind === kind).map(run.result),
        );
        const met = own.filter(({ heard }) => heard.some(({ text }) => limit.test(text)));
        expect(met.length).toBeGreaterThan(own.length / 4);
      });

    it("the host's memory grew by less than 50 MB", async () => {
      expect(await run.grownBytes(behaviour)).toBeLessThan(MAX_GROWTH_BYTES);
    });
  });
}
