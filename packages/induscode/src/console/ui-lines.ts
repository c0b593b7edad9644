// What a feature shows and asks, as lines: under its name, each line after a mark that no text of a feature can precede,
// so that none of its words can pass for the console's own. Pure; every text is made printable here.

import type { UiDialog, UiShape } from "../feature/ui.ts";
import { columnsOf, wrapColumns } from "./columns.ts";
import { printableLine } from "./printable-line.ts";
import { gutter } from "./question-lines.ts";
import type { LineLook } from "./transcript-lines.ts";

/** Precedes each line of a feature. */
export const UI_MARK = "▌ ";
const MIN_COLUMNS = 10;
const MAX_NAME_COLUMNS = 60;
const MAX_STATUS_COLUMNS = 40;
const MAX_CELL_COLUMNS = 40;
const BAR_CELLS = 20;

/** A shape under the name of its feature. */
export function shapeLines(feature: string, shape: UiShape, { style, columns }: LineLook): readonly string[] {
  const mark = style.warn(UI_MARK.trimEnd());
  const rows = shapeRows(shape, columns - UI_MARK.length);
  return [
    `${mark} ${style.bold(shapeHead(feature, shape))}`,
    ...rows.map((row) => (row === "" ? mark : `${mark} ${row}`)),
  ];
}

/** The name of its owner, and its title. */
export function shapeHead(feature: string, shape: UiShape): string {
  const title = shape.kind === "progress" ? undefined : shape.title;
  const name = whose(feature);
  if (title === undefined || title.trim() === "") return name;
  return isBuiltIn(feature) ? printableLine(title, 100) : `${name}: ${printableLine(title, 100)}`;
}

/** The shape itself, in rows of at most `width`, without colours. Markdown is shown as source. */
export function shapeRows(shape: UiShape, width: number): readonly string[] {
  const columns = Math.max(MIN_COLUMNS, width);
  // However wide a terminal draws the text, no row wraps onto one without a mark.
  return rowsOfShape(shape, columns).flatMap((row) => wrapColumns(row, columns));
}

function rowsOfShape(shape: UiShape, columns: number): readonly string[] {
  switch (shape.kind) {
    case "text":
    case "markdown":
      return paragraph(shape.text, columns);
    case "list": {
      const leads = shape.items.map((_, at) => (shape.isNumbered === true ? `${at + 1}. ` : "- "));
      const lead = Math.max(0, ...leads.map((each) => each.length));
      return shape.items.flatMap((item, at) => hanging((leads[at] ?? "").padStart(lead), item, columns));
    }
    case "keyValue": {
      const keys = shape.entries.map(({ key }) =>
        printableLine(key, Math.min(MAX_CELL_COLUMNS, columns / 2)),
      );
      const widest = Math.max(0, ...keys.map(columnsOf));
      return shape.entries.flatMap(({ value }, at) =>
        hanging(`${padded(keys[at] ?? "", widest)}  `, value, columns),
      );
    }
    case "progress":
      return [progressRow(shape, columns)];
    case "table":
      return tableRows(shape, columns);
  }
}

function paragraph(text: string, columns: number): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => wrapColumns(printableLine(line), columns));
}

function hanging(lead: string, text: string, columns: number): readonly string[] {
  const indent = columnsOf(lead);
  const rows = wrapColumns(printableLine(text), Math.max(MIN_COLUMNS, columns - indent));
  return rows.map((row, at) => `${at === 0 ? lead : " ".repeat(indent)}${row}`);
}

/** `indexing  ████████░░░░  12/30`. */
export function progressRow(
  { label, done, total }: Extract<UiShape, { kind: "progress" }>,
  columns: number,
): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(share * BAR_CELLS);
  const tail = `  ${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)}  ${figure(done)}/${figure(total)}`;
  return `${printableLine(label, Math.max(MIN_COLUMNS, columns - columnsOf(tail)))}${tail}`;
}

function figure(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function tableRows(
  { columns: heads, rows }: Extract<UiShape, { kind: "table" }>,
  columns: number,
): readonly string[] {
  const gaps = 2 * (heads.length - 1);
  const room = Math.max(heads.length * 3, columns - gaps);
  const cells = [heads, ...rows].map((row) =>
    heads.map((_, at) => printableLine(row[at] ?? "", MAX_CELL_COLUMNS)),
  );
  const wanted = heads.map((_, at) => Math.max(1, ...cells.map((row) => columnsOf(row[at] ?? ""))));
  const widths = fitted(wanted, room);
  const lines = cells.map((row) =>
    row
      .map((cell, at) => padded(printableLine(cell, widths[at]), widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((each) => "─".repeat(each)).join("  ");
  return [lines[0] ?? "", rule, ...lines.slice(1)];
}

/** Shrinks the widest columns until all fit. */
function fitted(wanted: readonly number[], room: number): readonly number[] {
  const widths = [...wanted];
  let sum = widths.reduce((all, each) => all + each, 0);
  while (sum > room) {
    const at = widths.indexOf(Math.max(...widths));
    if ((widths[at] ?? 0) <= 3) break;
    widths[at] = (widths[at] ?? 0) - 1;
    sum--;
  }
  return widths;
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** `project:notes 3 open`, for a status line. */
export function statusText(feature: string, text: string): string {
  return `${printableLine(feature, MAX_STATUS_COLUMNS)} ${printableLine(text.trim(), MAX_STATUS_COLUMNS)}`;
}

/** Built-in features ask on behalf of the model; no addon can have such a name. */
function isBuiltIn(feature: string): boolean {
  return feature.startsWith("builtin:");
}

function whose(feature: string): string {
  return isBuiltIn(feature) ? "the model" : printableLine(feature, MAX_NAME_COLUMNS);
}

/** Used in place of a feature's name: a question by indus itself. No addon can have this name. */
export const HOST_ASKS = "builtin:host";

/** A feature's question, without the place where it is answered. It says who asks, and what an answer cannot do. */
export function dialogLines(feature: string, dialog: UiDialog, look: LineLook): readonly string[] {
  const { style } = look;
  if (feature === HOST_ASKS)
    return [`${style.warn("?")} ${style.bold("indus asks")}`, ...gutter("why", dialog.question, look)];
  const isModel = isBuiltIn(feature);
  if (isModel && dialog.kind !== "confirm" && dialog.title !== undefined)
    return [`${style.warn("?")} ${style.bold(`${printableLine(dialog.title, 100)}:`)} ${dialog.question}`];
  const who = isModel ? whose(feature) : `the addon ${whose(feature)}`;
  return [
    `${style.warn("?")} ${style.bold(`Question from ${who}`)} ${style.dim("(grants no permission)")}`,
    ...gutter(isModel ? "model" : "addon", dialog.question, look),
  ];
}

/** The choices of a question, numbered from 1; no row of a choice begins where the console's own lines do. */
export function choiceRows(
  { choices }: Extract<UiDialog, { kind: "select" }>,
  { columns }: Pick<LineLook, "columns">,
): readonly string[] {
  return choices.flatMap((choice, at) => {
    const lead = `  [${at + 1}] `;
    const rows = wrapColumns(printableLine(choice), Math.max(MIN_COLUMNS, columns - lead.length));
    return rows.map((row, i) => `${i === 0 ? lead : " ".repeat(lead.length)}${row}`);
  });
}

/** The status items, each on lines of its own. */
export function statusLines(items: readonly string[], columns: number): readonly string[] {
  const width = Math.max(MIN_COLUMNS, columns - UI_MARK.length);
  return items.flatMap((item) => wrapColumns(item, width)).map((row) => `${UI_MARK}${row}`);
}

/** The index of the choice typed by its number; undefined for anything else. */
export function parseChoice(typed: string, count: number): number | undefined {
  const number = /^\d{1,3}$/.test(typed.trim()) ? Number(typed.trim()) : 0;
  return number >= 1 && number <= count ? number - 1 : undefined;
}
