// A list to choose from: typing filters, the arrows choose, Enter takes.

import { clustersOf, columnsOf } from "../../console/columns.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { FindItems, PickItem } from "../../feature/command.ts";
import type { Key } from "../contract.ts";
import { type Line, span } from "../screen/spans.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { firstShown, type OpenQuestion, type QuestionOptions } from "./question.ts";

interface PickerOptions<Item extends PickItem>
  extends Pick<QuestionOptions<Item>, "rows" | "onAnswer" | "onLeave">,
    GuardOptions {
  readonly find: FindItems<Item>;
  /** The index of the item selected at first; default: 0. */
  readonly start?: number;
  /** How many rows the list can have. */
  readonly room: () => number;
  readonly draw: () => void;
}

const MAX_TYPED = 200;
const MAX_LABEL = 200;
const MAX_PREVIEW = 3;
/** Columns of a name: a longer one is not waited for by the others. */
const MAX_ALIGNED = 24;
const KEYS = "  ↑ ↓ choose, Enter accepts, Esc cancels; type to search";

export function createPicker<Item extends PickItem>(options: PickerOptions<Item>): OpenQuestion {
  const { find, onAnswer, draw } = options;
  const guard = createGuard(options);
  let typed = "";
  let items: readonly Item[] = [];
  let at = 0;
  let note = "";
  look(options.start ?? 0);

  function look(start: number): void {
    const asked = typed;
    const found = find(asked);
    const show = (next: readonly Item[]): void => {
      items = next;
      at = Math.min(start, Math.max(0, next.length - 1));
      note = next.length === 0 ? "nothing found" : "";
    };
    if (!(found instanceof Promise)) {
      show(found);
      return;
    }
    note = "looking …";
    found.then(
      (next) => {
        if (asked !== typed) return; // the person has typed more
        show(next);
        draw();
      },
      (error: unknown) => {
        note = error instanceof Error ? error.message : String(error);
        draw();
      },
    );
  }

  function type(text: string): void {
    const next = text.replace(/[\r\n]/g, " ").slice(0, MAX_TYPED);
    if (next === typed) return;
    typed = next;
    look(0);
  }

  function move(by: number): void {
    at = Math.max(0, Math.min(items.length - 1, at + by));
  }

  function itemRows(): readonly Line[] {
    const room = options.room();
    const first = firstShown(at, items.length, room);
    const shown = items.slice(first, first + room).map(({ label, detail = "" }) => ({
      name: printableLine(label, MAX_LABEL),
      detail: printableLine(detail, MAX_LABEL),
    }));
    // Details stand below each other, but for those of long names.
    const widths = shown.map(({ name }) => columnsOf(name)).filter((width) => width <= MAX_ALIGNED);
    const width = Math.max(0, ...widths);
    return shown.map(({ name, detail }, i) => {
      const isChosen = first + i === at;
      const marks = isChosen ? (["bold"] as const) : [];
      const gap = " ".repeat(Math.max(0, width - columnsOf(name)) + 2);
      return [
        span(isChosen ? "❯ " : "  ", "accent"),
        span(name, ...marks),
        span(detail === "" ? "" : gap + detail, "dim"),
      ];
    });
  }

  return {
    rows: options.rows,
    quietInMs: guard.quietInMs,
    appear: guard.appear,
    readAgain: guard.readAgain,
    choiceLines: () => [
      [span("  find: ", "dim"), span(printableLine(typed)), span("▏", "accent")],
      ...itemRows(),
      ...(items[at]?.preview ?? [])
        .slice(0, MAX_PREVIEW)
        .map((row): Line => [span(`    ${printableLine(row, MAX_LABEL)}`, "dim")]),
      [
        span(
          note === "" ? `${KEYS}${items.length === 0 ? "" : ` (${at + 1} of ${items.length})`}` : `  ${note}`,
          "dim",
        ),
      ],
    ],
    press(key: Key) {
      const { name, ctrl } = key;
      const chosen = items[at];
      const mayAnswer = guard.press();
      if (name === "escape" || (ctrl && name === "c")) {
        options.onLeave();
        return true;
      }
      if (!mayAnswer) return false;
      guard.open();
      if (name === "enter") {
        if (chosen) onAnswer(chosen);
      } else if (name === "up" || (ctrl && name === "p")) move(-1);
      else if (name === "down" || name === "tab" || (ctrl && name === "n")) move(1);
      else if (name === "pageup") move(-options.room());
      else if (name === "pagedown") move(options.room());
      else if (name === "backspace") type(clustersOf(typed).slice(0, -1).join(""));
      else if (ctrl && name === "u") type("");
      else if (key.text !== undefined && !ctrl && !key.alt) type(typed + key.text);
      return true;
    },
  };
}
