// What addons keep on the screen of the rich console: items of the status line, bars above the editor. Other output of theirs
// scrolls up with the transcript.

import { printableLine } from "../../console/printable-line.ts";
import { progressRow, shapeHead, shapeRows, statusText, UI_MARK } from "../../console/ui-lines.ts";
import type { SessionUi, UiShape } from "../../feature/ui.ts";
import { type Line, span } from "../screen/spans.ts";
import type { LoadedHighlighter } from "../transcript/highlight.ts";
import { createMarkdown } from "../transcript/markdown.ts";

interface Look {
  readonly hasLinks: boolean;
  readonly highlighter: LoadedHighlighter;
}

interface AddonUiOptions extends Look {
  readonly columns: () => number;
  /** Prints rows where they can be scrolled to. */
  readonly say: (rows: readonly Line[]) => void;
  readonly ask: SessionUi["ask"];
  readonly draw: () => void;
}

interface AddonUiDesk extends SessionUi {
  /** The items of the status line. */
  readonly items: () => readonly string[];
  /** The progress bars. */
  readonly bars: (columns: number) => readonly Line[];
}

type Progress = Extract<UiShape, { readonly kind: "progress" }>;

/** Per addon; the oldest is dropped. */
const MAX_BARS = 3;
/** A block of code that names its language. */
const CODE = /^ {0,12}(?:```|~~~)[^\S\n]{0,8}\w/m;

export function createAddonUi({ columns, say, ask, draw, ...look }: AddonUiOptions): AddonUiDesk {
  /** What is printed after code whose languages are still being loaded. */
  let waiting: Promise<void> | undefined;
  const items = new Map<string, Map<string, string>>();
  const bars = new Map<string, Map<string, Progress>>();

  /** In order, and code only when it can be coloured: what is printed keeps its colours. */
  function print(feature: string, shape: UiShape): void {
    const now = (): void => {
      say(shapeBlock(feature, shape, { ...look, columns: columns() }));
      draw();
    };
    const hasCode = shape.kind === "markdown" && CODE.test(shape.text);
    if (!hasCode && waiting === undefined) {
      now();
      return;
    }
    const mine = Promise.all([waiting, hasCode ? look.highlighter.ready() : undefined])
      .then(now)
      .finally(() => {
        if (waiting === mine) waiting = undefined;
      });
    waiting = mine;
  }

  function progress(feature: string, shape: Progress): void {
    const own = bars.get(feature) ?? new Map<string, Progress>();
    bars.set(feature, own);
    if (shape.total > 0 && shape.done >= shape.total) {
      own.delete(shape.label);
      print(feature, shape);
      return;
    }
    own.set(shape.label, shape);
    const [oldest] = own.keys();
    if (own.size > MAX_BARS && oldest !== undefined) own.delete(oldest);
  }

  return {
    ask,
    status(feature, id, text) {
      const own = items.get(feature) ?? new Map<string, string>();
      items.set(feature, own);
      if (text.trim() === "") own.delete(id);
      else own.set(id, statusText(feature, text));
      draw();
    },
    render(feature, shape) {
      if (shape.kind === "progress") progress(feature, shape);
      else print(feature, shape);
      draw();
    },
    clear(feature) {
      items.delete(feature);
      bars.delete(feature);
      draw();
    },
    items: () => [...items.values()].flatMap((own) => [...own.values()]),
    bars: (width) =>
      [...bars].flatMap(([feature, own]) => {
        const lead = `${printableLine(feature, 40)} `;
        return [...own.values()].map(
          (bar): Line => [MARK, span(lead, "dim"), span(progressRow(bar, width - lead.length - 2))],
        );
      }),
  };
}

const MARK = span(UI_MARK, "warn");

/** A shape under the name of its addon, each row after the mark that only the console writes. */
function shapeBlock(
  feature: string,
  shape: UiShape,
  { columns, ...look }: Look & { readonly columns: number },
): readonly Line[] {
  const width = columns - UI_MARK.length;
  const rows: readonly Line[] =
    shape.kind === "markdown"
      ? markdownRows(shape.text, width, look)
      : shapeRows(shape, width).map((row) => [span(row)]);
  return [[MARK, span(shapeHead(feature, shape), "bold")], ...rows.map((row): Line => [MARK, ...row])];
}

function markdownRows(text: string, width: number, { highlighter, hasLinks }: Look): readonly Line[] {
  const stream = createMarkdown(Math.max(10, width), highlighter.highlight, hasLinks);
  return [...stream.write(text), ...stream.end()];
}
