// A block of a transcript, something that has ended, as lines.

import { printable } from "indusagi/core";
import { hangingColumn } from "../../console/columns.ts";
import { formatDuration } from "../../console/figures.ts";
import type { SettledView } from "../../view/contract.ts";
import { type Line, span, wrap } from "../screen/spans.ts";
import { itemLines } from "./item-lines.ts";
import type { MarkdownStream } from "./markdown.ts";

export type Block =
  | { readonly kind: "said"; readonly lines: readonly Line[] }
  | { readonly kind: "person"; readonly text: string; readonly note?: string | undefined }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string; readonly ms: number }
  | { readonly kind: "item"; readonly item: Exclude<SettledView, { kind: "answer" }> };

/** What all blocks of a transcript are laid out with. */
export interface BlockLook {
  /** The key that unfolds, as named in hints; undefined if there is none. */
  readonly foldKey: string | undefined;
  readonly markdown: (columns: number) => MarkdownStream;
}

interface BlockForm {
  readonly columns: number;
  /** Shows everything. */
  readonly unfolded: boolean;
}

export function blockLines(block: Block, { foldKey, markdown }: BlockLook, form: BlockForm): Line[] {
  const { columns } = form;
  switch (block.kind) {
    case "said":
      return block.lines.flatMap((line) => wrap(line, columns, { rest: hangingOf(line, columns) }));
    case "person":
      return personLines(block.text, columns, block.note);
    case "thought":
      return thoughtLines(block, form);
    case "answer": {
      const stream = markdown(columns);
      return [...stream.write(block.text), ...stream.end()];
    }
    case "item":
      return itemLines(block.item, { ...form, foldKey });
  }
}

/** Whether some blocks of this kind have a shorter and a longer form. */
export function canFold({ kind }: Block): boolean {
  return kind === "item" || kind === "thought";
}

export function kindOf(block: Block): string {
  return block.kind === "item" ? block.item.kind : block.kind;
}

/** The lines of a block, separated from a block of another kind before it; nothing is before the first one. */
export function apart(block: Block, lines: Line[], before: string | undefined): Line[] {
  const isApart = before !== undefined && (kindOf(block) !== before || block.kind === "person");
  return lines.length > 0 && isApart ? [[], ...lines] : lines;
}

/** About how many characters it holds. */
export function sizeOf(block: Block): number {
  if (block.kind === "said") return block.lines.length * 80;
  if (block.kind === "item") {
    const { item } = block;
    return item.kind === "call" ? (item.output?.length ?? 0) + (item.diff?.length ?? 0) + 200 : 200;
  }
  return block.text.length + 100;
}

/** The mark before a line by others precedes each of its rows, however narrow the window becomes. */
function gutterOf([first]: Line): Line {
  if (first === undefined || !/^(?:▌ | {2}.{1,12}│ ?)$/.test(first.text)) return [];
  return [{ ...first, text: first.text.replace(/[^│▌]/g, " ") }];
}

function hangingOf(line: Line, columns: number): Line {
  const gutter = gutterOf(line);
  if (gutter.length > 0) return gutter;
  const column = hangingColumn(line.map(({ text }) => text).join(""), columns);
  return column === 0 ? [] : [span(" ".repeat(column))];
}

const MAX_PERSON_LINES = 200;

function personLines(text: string, columns: number, note: string | undefined): Line[] {
  const lines = printable(text).trimEnd().split("\n");
  const shown = lines.slice(0, MAX_PERSON_LINES);
  const rows = shown.flatMap((line, i) =>
    wrap([span(line, "person")], columns, {
      first: [span(i === 0 ? "› " : "  ", "accent")],
      rest: [span("  ")],
    }),
  );
  if (lines.length > shown.length) rows.push([span(`  … ${lines.length - shown.length} more lines`, "dim")]);
  if (note !== undefined) rows.push([span(`  ${note}`, "dim")]);
  return rows;
}

function thoughtLines(
  { text, ms }: Extract<Block, { kind: "thought" }>,
  { columns, unfolded }: BlockForm,
): Line[] {
  const head: Line = [span(`∴ thought for ${formatDuration(ms)}`, "dim")];
  if (!unfolded) return [head];
  const bar: Line = [span("  ")];
  const body = printable(text).trimEnd().split("\n");
  return [
    head,
    ...body.flatMap((line) => wrap([span(line, "dim", "italic")], columns, { first: bar, rest: bar })),
  ];
}
