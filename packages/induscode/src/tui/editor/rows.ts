// The visible rows of a text, and the cursor in them.

import { columnsOf, headOf } from "../../console/columns.ts";
import type { Style } from "../../console/style.ts";
import type { Cursor } from "../contract.ts";
import { type FoldedTexts, isFoldMark } from "./folded.ts";
import { type LaidRow, type Layout, placeOf } from "./layout.ts";
import type { EditState } from "./state.ts";

interface Drawn {
  readonly rows: readonly string[];
  readonly cursor: Cursor;
  /** The first visible row. */
  readonly firstRow: number;
}

interface DrawnText {
  readonly layout: Layout;
  readonly state: EditState;
  readonly folded: FoldedTexts;
  readonly style: Style;
  readonly columns: number;
}

/** The rows around the cursor, scrolled as little as possible. */
export function drawText(
  { layout, state, folded, style, columns }: DrawnText,
  { firstRow, maxRows }: { readonly firstRow: number; readonly maxRows: number },
): Drawn {
  const { row, column } = placeOf(layout, state.cursor);
  const height = Math.max(1, Math.min(maxRows, layout.length));
  const first = Math.max(
    0,
    Math.min(Math.max(Math.min(firstRow, row), row - height + 1), layout.length - height),
  );
  const room = Math.max(1, columns - 3);
  const rows = layout
    .slice(first, first + height)
    .map((laid) => draw(laid, state.text, { folded, style, room }));
  return { rows, cursor: { row: row - first, column: Math.min(column, room) }, firstRow: first };
}

function draw(
  { start, units }: LaidRow,
  text: string,
  { folded, style, room }: { readonly folded: FoldedTexts; readonly style: Style; readonly room: number },
): string {
  let at = start;
  let shown = "";
  let plain = "";
  let left = room;
  for (const unit of units) {
    const isFolded =
      unit.length === 1 && isFoldMark(text.charCodeAt(at)) && folded.at(text[at] ?? "") !== undefined;
    const fits = unit.columns <= left ? unit.shown : headOf(unit.shown, left);
    left -= unit.columns <= left ? unit.columns : columnsOf(fits);
    at += unit.length;
    if (!isFolded) {
      plain += fits;
      continue;
    }
    shown += plain + style.dim(fits);
    plain = "";
  }
  return shown + plain;
}
