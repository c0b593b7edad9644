// Where each unit of a text is on the screen: lines broken between words, and the cursor's position in them.

import type { Cursor } from "../contract.ts";
import { type Unit, unitsOf } from "./units.ts";

export interface LaidRow {
  /** Where the row begins in the text. */
  readonly start: number;
  /** Where it ends, not counting its line break. */
  readonly end: number;
  readonly units: readonly Unit[];
  /** The same line continues in the next row. */
  readonly isBroken: boolean;
}

export type Layout = readonly LaidRow[];

interface LineRow {
  readonly units: readonly Unit[];
  readonly length: number;
}

/** Lays out texts; lines unchanged since the last time cost nothing. */
export function createLayouter(
  labelOf: (mark: string) => string | undefined,
): (text: string, columns: number) => Layout {
  let known = new Map<string, readonly LineRow[]>();
  let knownColumns = 0;
  return (text, columns) => {
    const before = columns === knownColumns ? known : new Map<string, readonly LineRow[]>();
    known = new Map();
    knownColumns = columns;
    const rows: LaidRow[] = [];
    let start = 0;
    for (const line of text.split("\n")) {
      const broken = before.get(line) ?? breakLine(unitsOf(line, labelOf), columns);
      known.set(line, broken);
      for (const [at, { units, length }] of broken.entries()) {
        rows.push({ start, end: start + length, units, isBroken: at < broken.length - 1 });
        start += length;
      }
      start += 1;
    }
    return rows;
  };
}

// A unit wider than the row (a folded text on a narrow screen) has a row of its own, and is cut when shown.
function breakLine(units: readonly Unit[], columns: number): readonly LineRow[] {
  const rows: LineRow[] = [];
  let from = 0;
  let width = 0;
  let blank = 0; // after the last blank of this row
  for (const [at, unit] of units.entries()) {
    if (width + unit.columns > columns && at > from) {
      const to = blank > from ? blank : at;
      rows.push(rowOf(units.slice(from, to)));
      from = to;
      width = units.slice(from, at).reduce((sum, each) => sum + each.columns, 0);
    }
    width += unit.columns;
    if (unit.shown === " ") blank = at + 1;
  }
  rows.push(rowOf(units.slice(from)));
  return rows;
}

function rowOf(units: readonly Unit[]): LineRow {
  return { units, length: units.reduce((sum, { length }) => sum + length, 0) };
}

/** The screen position of the cursor at `offset` in the text. At a break within a line it is in the later row. */
export function placeOf(layout: Layout, offset: number): Cursor {
  let row = layout.length - 1;
  while (row > 0 && (layout[row]?.start ?? 0) > offset) row -= 1;
  let column = 0;
  let at = layout[row]?.start ?? 0;
  for (const unit of layout[row]?.units ?? []) {
    if (at + unit.length > offset) break;
    at += unit.length;
    column += unit.columns;
  }
  return { row, column };
}

/** The offset nearest to `column` in a row: before the unit that covers it. */
export function offsetAt(layout: Layout, row: number, column: number): number {
  const laid = layout[row];
  if (!laid) return 0;
  let at = laid.start;
  let passed = 0;
  for (const [index, unit] of laid.units.entries()) {
    if (passed + unit.columns > column) break;
    // After the last unit of a broken line the cursor would be in the next row.
    if (laid.isBroken && index === laid.units.length - 1) break;
    at += unit.length;
    passed += unit.columns;
  }
  return at;
}
