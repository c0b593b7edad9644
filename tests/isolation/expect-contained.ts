import { expect } from "vitest";
import { type Cell, nameOf } from "./hook-points.ts";
import { type CellResult, GONE_MS } from "./run-cell.ts";
import { symptomOf } from "./symptoms.ts";

/** On top of a deadline and its tenth: what a machine with two busy cores takes to wake up this process. */
const ALLOWANCE_MS = 300;
/** The host's patience with a process that is to end: a second for its answer, a quarter for its exit. */
const CLOSE_MS = 1_250;

/** What holds in every cell (the issue, "Isolation"). */
export function expectContained(cell: Cell, result: CellResult): void {
  const { elapsedMs, deadlineMs, queuedMs, isGoodAlive, heard, naming, goneAfterMs, closeMs } = result;
  const told = heard.map(({ owner, text }) => `[${owner}] ${text}`).join("\n");
  expect(isGoodAlive, `${nameOf(cell)}: the good addons beside it did their part\n${told}`).toBe(true);
  expect(told, `${nameOf(cell)}: what it did is told`).toMatch(symptomOf(cell));
  expect(naming.length, `${nameOf(cell)}: the addon is named in\n${told}`).toBeGreaterThan(0);
  expect(elapsedMs, "the deadline").toBeLessThanOrEqual(deadlineMs * 1.1 + ALLOWANCE_MS + queuedMs);
  expect(closeMs, "the end of the session").toBeLessThanOrEqual(CLOSE_MS * 1.1 + ALLOWANCE_MS);
  expect(goneAfterMs, `milliseconds until no process was left (of ${GONE_MS})`).toBeTypeOf("number");
}
