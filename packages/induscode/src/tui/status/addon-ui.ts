// What addons keep on the screen of the rich console: items of the status line, bars above the editor. Other output of theirs
// scrolls up with the transcript.

import { printableLine } from "../../console/printable-line.ts";
import { progressRow, shapeHead, shapeRows, statusText, UI_MARK } from "../../console/ui-lines.ts";
import type { SessionUi, UiShape } from "../../feature/ui.ts";
import { type Line, span } from "../screen/spans.ts";
import { createMarkdown } from "../transcript/markdown.ts";

interface AddonUiOptions {
  readonly columns: () => number;
  readonly hasLinks: boolean;
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

export function createAddonUi({ columns, hasLinks, say, ask, draw }: AddonUiOptions): AddonUiDesk {
  const items = new Map<string, Map<string, string>>();
  const bars = new Map<string, Map<string, Progress>>();

  function progress(feature: string, shape: Progress): void {
    const own = bars.get(feature) ?? new Map<string, Progress>();
    bars.set(feature, own);
    if (shape.total > 0 && shape.done >= shape.total) {
      own.delete(shape.label);
      say(shapeBlock(feature, shape, { columns: columns(), hasLinks }));
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
      else say(shapeBlock(feature, shape, { columns: columns(), hasLinks }));
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
  { columns, hasLinks }: { readonly columns: number; readonly hasLinks: boolean },
): readonly Line[] {
  const width = columns - UI_MARK.length;
  const rows: readonly Line[] =
    shape.kind === "markdown"
      ? markdownRows(shape.text, width, hasLinks)
      : shapeRows(shape, width).map((row) => [span(row)]);
  return [[MARK, span(shapeHead(feature, shape), "bold")], ...rows.map((row): Line => [MARK, ...row])];
}

function markdownRows(text: string, width: number, hasLinks: boolean): readonly Line[] {
  const stream = createMarkdown(Math.max(10, width), undefined, hasLinks);
  return [...stream.write(text), ...stream.end()];
}
