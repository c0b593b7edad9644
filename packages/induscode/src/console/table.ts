// Rows in columns, for a terminal.

import { columnsOf } from "./columns.ts";

/**
 * A line for each row: every column is as wide as its widest cell, counted in columns of a terminal, with two spaces between them.
 * Cells are without control characters.
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  isRightAligned: (column: number) => boolean = () => false,
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell));
  return rows.map((row) => {
    const cells = row.map((cell, at) => {
      const gap = " ".repeat((widths[at] ?? 0) - columnsOf(cell));
      return isRightAligned(at) ? gap + cell : cell + gap;
    });
    return cells.join("  ").trimEnd();
  });
}
