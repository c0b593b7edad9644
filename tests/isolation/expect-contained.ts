import { expect } from "vitest";
import { PATIENCE_MS } from "../support/until.ts";
import { type Cell, nameOf } from "./hook-points.ts";
import { type CellResult, GONE_MS } from "./run-cell.ts";
import { FORGED, symptomOf } from "./symptoms.ts";

/** All that one addon may have shown in a cell, in characters: its lines are counted and cut. */
const MOST_SHOWN = 256 * 1024;

/** The host's patience with a process that is to end: a second for its answer, a quarter for its exit. */
const CLOSE_MS = 1_250;

/** No machine is so busy that a deadline takes longer; one that does not hold takes for ever. */
const late = (deadlineMs: number): number => deadlineMs * 10 + PATIENCE_MS;

/** What holds in every cell. */
export function expectContained(cell: Cell, result: CellResult): void {
  const { elapsedMs, deadlineMs, isGoodAlive, heard, naming, goneAfterMs, closeMs } = result;
  const told = heard.map(({ owner, text }) => `[${owner}] ${text}`).join("\n");
  expect(isGoodAlive, `${nameOf(cell)}: the good addons beside it did their part\n${told}`).toBe(true);
  expect(told, `${nameOf(cell)}: what it did is told`).toMatch(symptomOf(cell));
  expect(naming.length, `${nameOf(cell)}: the addon is named in\n${told}`).toBeGreaterThan(0);
  for (const { owner, text } of heard.filter(({ text }) => FORGED.test(text)))
    expect(`${owner} ${text}`, "what it says in another's name is heard as its own").toMatch(/\bhostile\b/);
  expect(told.length, "what is shown of it").toBeLessThan(MOST_SHOWN);
  expect(elapsedMs, "the deadline").toBeLessThan(late(deadlineMs));
  expect(closeMs, "the end of the session").toBeLessThan(late(CLOSE_MS));
  expect(goneAfterMs, `milliseconds until no process was left (of ${GONE_MS})`).toBeTypeOf("number");
}
