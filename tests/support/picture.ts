// A picture of a terminal: the bytes that the command wrote, played into a headless terminal, and its cells as SVG. What
// differs each time (durations, spinners) is normalised, so that a picture changes only when the console does.

import xterm from "@xterm/headless";
import { columnsOf } from "../../packages/induscode/src/console/columns.ts";

/** A row of the terminal, in runs of cells with the same look. */
export type PictureRow = readonly PictureRun[];

export interface PictureRun {
  readonly text: string;
  /** In cells. */
  readonly width: number;
  readonly look: Look;
}

interface Look {
  readonly fore: Colour;
  readonly back: Colour;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  readonly isInverse: boolean;
}

/** Undefined is the terminal's default. A number is a colour of its palette, a string is red, green and blue. */
type Colour = number | string | undefined;

export interface Palette {
  readonly fore: string;
  readonly back: string;
  readonly frame: string;
  /** The 16 colours. */
  readonly colours: readonly string[];
}

export const PALETTES: Readonly<Record<"dark" | "light", Palette>> = {
  dark: {
    fore: "#d6dae0",
    back: "#14171c",
    frame: "#2c313a",
    colours: [
      ...["#2c313a", "#f07178", "#a5d18c", "#e6c07b", "#7aa8f0", "#c792ea", "#71c7c2", "#c8ccd4"],
      ...["#7f8793", "#ff8b92", "#b8e39f", "#f5d494", "#93bbff", "#d9a9f7", "#8adcd7", "#ffffff"],
    ],
  },
  light: {
    fore: "#24292f",
    back: "#ffffff",
    frame: "#d0d7de",
    colours: [
      ...["#24292f", "#b3261e", "#1a7f37", "#8a5a00", "#0a58ca", "#8250df", "#0b7285", "#6e7781"],
      ...["#57606a", "#cf222e", "#2da44e", "#9a6700", "#218bff", "#a475f9", "#1b7c83", "#8c959f"],
    ],
  },
};

export interface PictureScene {
  readonly raw: string;
  readonly columns: number;
  readonly rows: number;
  /** Matches the first row of the picture; rows above it are left out. */
  readonly from: RegExp;
}

/** The terminal's contents after these bytes, starting with the first row that matches. */
export async function rowsOf({ raw, columns, rows, from }: PictureScene): Promise<readonly PictureRow[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(raw, done));
  const { active } = terminal.buffer;
  const found: PictureRow[] = [];
  const blank = active.getNullCell();
  for (let y = 0; y < active.length; y++) {
    const line = active.getLine(y);
    const cells: PictureRun[] = [];
    for (let x = 0; x < columns; x++) {
      const cell = line?.getCell(x, blank);
      if (!cell || cell.getWidth() === 0) continue;
      cells.push({ text: cell.getChars() || " ", width: cell.getWidth(), look: lookOf(cell) });
    }
    found.push(withoutTimes(joined(cells)));
  }
  terminal.dispose();
  const start = found.findIndex((row) => from.test(textOf(row)));
  const end = found.findLastIndex((row) => textOf(row).trim() !== "");
  if (start < 0) throw new Error(`no row fits ${from}:\n${found.map(textOf).join("\n")}`);
  return found.slice(start, end + 1);
}

type Cell = ReturnType<xterm.IBuffer["getNullCell"]>;

function lookOf(cell: Cell): Look {
  return {
    fore: cell.isFgDefault() ? undefined : colourOf(cell.isFgRGB(), cell.getFgColor()),
    back: cell.isBgDefault() ? undefined : colourOf(cell.isBgRGB(), cell.getBgColor()),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isStruck: cell.isStrikethrough() !== 0,
    isInverse: cell.isInverse() !== 0,
  };
}

function colourOf(isRgb: boolean, value: number): Colour {
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : value;
}

function joined(cells: readonly PictureRun[]): PictureRow {
  const runs: PictureRun[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last && JSON.stringify(last.look) === JSON.stringify(cell.look))
      runs[runs.length - 1] = { ...last, text: last.text + cell.text, width: last.width + cell.width };
    else runs.push(cell);
  }
  return runs;
}

/** Durations differ each time; deadlines do not. */
const TIMES = /(?<!within )\b\d+(?:\.\d+)? m?s\b/g;

const SPINNER = /[\u2800-\u28ff]/g;

function withoutTimes(row: PictureRow): PictureRow {
  const last = row.at(-1);
  const isBlank = last !== undefined && last.look.back === undefined && !last.look.isInverse;
  const end = isBlank ? last.text.trimEnd() : (last?.text ?? "");
  const seen = isBlank
    ? [...row.slice(0, -1), { ...last, text: end, width: last.width - last.text.length + end.length }]
    : row;
  return seen.map((run) => {
    const text = run.text.replace(TIMES, "0.2 s").replace(SPINNER, "⠋");
    return { ...run, text, width: run.width + text.length - run.text.length };
  });
}

export function textOf(row: PictureRow): string {
  return row.map(({ text }) => text).join("");
}

const CELL = { width: 8.4, height: 19 };
const PAD = 14;

/** The folder in which a command would run differs each time; it can take several rows. */
export function withoutFolder(rows: readonly PictureRow[]): readonly PictureRow[] {
  const at = rows.findIndex((row) => /^ {2}in {4}│/.test(textOf(row)));
  const [label, path] = rows[at] ?? [];
  if (!label || !path) return rows;
  const rest = rows.slice(at + 1);
  const next = rest.findIndex((row) => !/^ {8}│/.test(textOf(row)));
  const short = { ...path, text: "~/app", width: 5 };
  return [...rows.slice(0, at), [label, short], ...rest.slice(next)];
}

/** Rows as SVG; `title` is read by screen readers. */
export function svgOf(rows: readonly PictureRow[], title: string, palette: Palette): string {
  const widest = Math.max(...rows.map((row) => cellsOf(row)));
  const width = figure(widest * CELL.width + 2 * PAD);
  const height = figure(rows.length * CELL.height + 2 * PAD);
  const lines = rows.flatMap((row, y) => rowOf(row, PAD + y * CELL.height, palette));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${figure(Number(width) - 1)}" height="${figure(Number(height) - 1)}" rx="8" fill="${palette.back}" stroke="${palette.frame}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...lines,
    "</g>",
    "</svg>",
  ].join("\n")}\n`;
}

function cellsOf(row: PictureRow): number {
  const isSeen = ({ text, look }: PictureRun): boolean => text.trim() !== "" || look.back !== undefined;
  const seen = row.slice(0, row.findLastIndex(isSeen) + 1);
  return seen.reduce((sum, { width }) => sum + width, 0);
}

function rowOf(row: PictureRow, top: number, palette: Palette): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  for (const { text, width, look } of row) {
    const left = PAD + at * CELL.width;
    at += width;
    const fore = shade(look.isInverse ? look.back : look.fore, palette, look.isInverse ? "back" : "fore");
    const back = look.isInverse ? shade(look.fore, palette, "fore") : look.back;
    const room = figure(width * CELL.width);
    if (back !== undefined)
      parts.push(
        `<rect x="${figure(left)}" y="${figure(top)}" width="${room}" height="${CELL.height}" fill="${shade(back, palette, "back")}"/>`,
      );
    if (text.trim() === "") continue;
    const marks = [
      look.isBold ? ' font-weight="600"' : "",
      look.isItalic ? ' font-style="italic"' : "",
      look.isDim ? ' opacity="0.62"' : "",
      look.isUnderlined
        ? ' text-decoration="underline"'
        : look.isStruck
          ? ' text-decoration="line-through"'
          : "",
    ].join("");
    // Each piece is placed at its cells: the drawing of blanks is not left to the viewer.
    for (const { 0: piece, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      const x = left + columnsOf(text.slice(0, index)) * CELL.width;
      const length = figure(columnsOf(piece) * CELL.width);
      parts.push(
        `<text x="${figure(x)}" y="${figure(top + 14)}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fore}"${marks}>${escaped(piece)}</text>`,
      );
    }
  }
  return parts;
}

function shade(colour: Colour, palette: Palette, own: "fore" | "back"): string {
  if (colour === undefined) return palette[own];
  if (typeof colour === "string") return colour;
  if (colour < 16) return palette.colours[colour] ?? palette.fore;
  if (colour >= 232) return grey(8 + 10 * (colour - 232));
  const step = (value: number): number => (value === 0 ? 0 : 55 + 40 * value);
  const cube = colour - 16;
  return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(step));
}

function grey(level: number): string {
  return hex([level, level, level]);
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function figure(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
