// The table of `indus usage`: all of it, or what a terminal has room for.

import { columnsOf } from "../../console/columns.ts";
import { printableLine } from "../../console/printable-line.ts";
import { tableLines } from "../../console/table.ts";
import type { UsageKey } from "./usage-keys.ts";
import type { UsageRow } from "./usage-sum.ts";

export type Column = readonly [string, (row: UsageRow) => string];

export interface UsageTable {
  readonly by: UsageKey;
  readonly columns: readonly Column[];
  readonly rows: readonly UsageRow[];
  readonly bars: readonly string[];
}

/** Shorter names say too little. */
const MIN_NAME = 16;
/** The order in which columns with figures are left out. */
const LEAVABLE: readonly string[] = ["thinking", "to cache", "tools", "models", "cached", "requests"];

/**
 * As long as its lines have more than `room` columns, it loses its bars, then columns without a figure, then the middle of long names
 * and further columns; the last two are named.
 */
export function usageTable(table: UsageTable, room: number): readonly string[] {
  const { by, columns, rows } = table;
  for (const bars of [table.bars, []]) {
    const lines = linesOf({ ...table, bars });
    if (widthOf(lines) <= room) return lines;
  }
  const used = columns.filter(([, cell]) => rows.some((row) => /[1-9]/.test(cell(row))));
  const leavable = LEAVABLE.filter((name) => used.some(([each]) => each === name));
  const longest = widthOf(rows.map(({ name }) => printableLine(name)));
  const mostCut = Math.max(0, longest - MIN_NAME);
  for (let count = 0; ; count++) {
    const left = leavable.slice(0, count);
    const kept = { ...table, columns: used.filter(([name]) => !left.includes(name)), bars: [] };
    const over = Math.max(0, widthOf(linesOf(kept)) - room);
    if (over > mostCut && count < leavable.length) continue;
    const cut = Math.min(over, mostCut);
    const told = [...(cut > 0 ? [by] : []), ...left].join(", ");
    return [
      ...linesOf(kept, longest - cut),
      ...(told === "" ? [] : [`Not shown in full: ${told}; --json has all.`]),
    ];
  }
}

function linesOf({ by, columns, rows, bars }: UsageTable, nameColumns?: number): readonly string[] {
  const head = [by, ...columns.map(([name]) => name)];
  const cells = rows.map((row, at) => [
    printableLine(row.name, nameColumns),
    ...columns.map(([, cell]) => cell(row)),
    bars[at] ?? "",
  ]);
  return tableLines([head, ...cells], (column) => column > 0 && column <= columns.length);
}

function widthOf(lines: readonly string[]): number {
  return Math.max(...lines.map(columnsOf));
}
