// Runs many cells: those that wait for one of the product's own long deadlines in the background, the
// others side by side, and those that move much data one at a time. Memory is watched for each behaviour.

import type { Bench } from "./bench.ts";
import { BEHAVIOURS, type Behaviour, type Cell, HEAVY, nameOf } from "./hook-points.ts";
import { watchMemory } from "./memory-watch.ts";
import { type CellResult, runCell } from "./run-cell.ts";

export interface CellRun {
  /** Of one cell; rejects where it could not be run. */
  readonly result: (cell: Cell) => Promise<CellResult>;
  /** The most that this process grew through a behaviour, sampled every 20 ms. */
  readonly grownBytes: (behaviour: Behaviour) => Promise<number>;
  /** No further cell begins, where the tests of a file end before all of its cells have run; resolves once those that run have ended. */
  readonly stop: () => Promise<void>;
}

const SIDE_BY_SIDE = 3;
/** They only wait, but all of them starting at one moment would be a load of its own. */
const IN_BACKGROUND = 7;
/** The heavy ones first: one at a time, while those in the background start. */
const ORDER: readonly Behaviour[] = [...HEAVY, ...BEHAVIOURS.filter((behaviour) => !HEAVY.has(behaviour))];

/** Begins at once. */
export function runCells(cells: readonly Cell[], bench: Bench): CellRun {
  const results = new Map(cells.map((cell) => [nameOf(cell), Promise.withResolvers<CellResult>()]));
  const grown = new Map(BEHAVIOURS.map((behaviour) => [behaviour, Promise.withResolvers<number>()]));
  for (const { promise } of results.values()) promise.catch(() => undefined); // heard by the test of the cell
  let isStopped = false;
  const run = async (cell: Cell): Promise<void> => {
    if (isStopped) return;
    const slot = results.get(nameOf(cell));
    await runCell(cell, bench).then(slot?.resolve, slot?.reject);
  };
  const inBackground = inLanes(IN_BACKGROUND, cells.filter(waitsLong), run);
  const others = runAll(
    cells.filter((cell) => !waitsLong(cell)),
    run,
    (behaviour, bytes) => grown.get(behaviour)?.resolve(bytes),
  );
  return {
    result: (cell) => results.get(nameOf(cell))?.promise ?? Promise.reject(new Error("no such cell")),
    grownBytes: (behaviour) => grown.get(behaviour)?.promise ?? Promise.resolve(Number.NaN),
    async stop() {
      isStopped = true;
      await Promise.all([inBackground, others]);
    },
  };
}

/** Nothing that hangs at its start, or in a command, is cut before ten or thirty seconds have passed. */
function waitsLong({ point, behaviour }: Cell): boolean {
  return (
    (point === "load" || point === "register" || point === "command") &&
    (behaviour === "hangs" || behaviour === "ignores-sigterm")
  );
}

async function runAll(
  cells: readonly Cell[],
  run: (cell: Cell) => Promise<void>,
  onDone: (behaviour: Behaviour, grownBytes: number) => void,
): Promise<void> {
  for (const behaviour of ORDER) {
    const own = cells.filter((cell) => cell.behaviour === behaviour);
    onDone(behaviour, await (HEAVY.has(behaviour) ? runInTurn(own, run) : runSideBySide(own, run)));
  }
}

/** The growth is the largest that one cell made. */
async function runInTurn(cells: readonly Cell[], run: (cell: Cell) => Promise<void>): Promise<number> {
  let grown = 0;
  for (const cell of cells) {
    const watch = watchMemory();
    await run(cell);
    grown = Math.max(grown, watch.stop());
  }
  return grown;
}

/** The growth is that of all cells together. */
async function runSideBySide(cells: readonly Cell[], run: (cell: Cell) => Promise<void>): Promise<number> {
  const watch = watchMemory();
  await inLanes(SIDE_BY_SIDE, cells, run);
  return watch.stop();
}

async function inLanes(
  count: number,
  cells: readonly Cell[],
  run: (cell: Cell) => Promise<void>,
): Promise<void> {
  const waiting = [...cells];
  const lane = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) await run(cell);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
