// The suggestions below the text: which are shown, which one is chosen, whether they were dismissed.

import { columnsOf, headOf } from "../../console/columns.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { Style } from "../../console/style.ts";
import type { Completer, Suggestion, Suggestions } from "../complete/contract.ts";
import type { Draft } from "./state.ts";

export interface Menu {
  readonly isOpen: () => boolean;
  /** Looks for suggestions again; called after each key. */
  readonly follow: (draft: Draft) => void;
  /** Looks even if dismissed. */
  readonly ask: (draft: Draft) => void;
  /** The same text may have others now. */
  readonly lookAgain: () => void;
  readonly move: (by: 1 | -1) => void;
  readonly chosen: () => ({ readonly suggestion: Suggestion } & Pick<Suggestions, "from" | "to">) | undefined;
  /** Hides them until the text changes. */
  readonly dismiss: () => void;
  readonly render: (columns: number) => readonly string[];
}

const MOST_ROWS = 8;

export function createMenu(
  completer: Completer | undefined,
  { style, onChange }: { readonly style: Style; readonly onChange: () => void },
): Menu {
  let shown: Suggestions | undefined;
  let draft: Draft = { text: "", cursor: 0 };
  let at = 0;
  let isDismissed = false;
  let dismissedText: string | undefined;

  function look(): void {
    const chosen = shown?.items[at]?.put;
    shown = completer?.look(draft.text, draft.cursor);
    // The chosen item stays chosen when more are found around it.
    const same = at === 0 ? -1 : (shown?.items.findIndex(({ put }) => put === chosen) ?? -1);
    at = Math.max(0, same);
  }

  function lookAgain(): void {
    if (!isDismissed && shown !== undefined) look();
  }

  completer?.onMore(() => {
    if (isDismissed || shown === undefined) return;
    look();
    onChange();
  });

  const isOpen = (): boolean => !isDismissed && (shown?.items.length ?? 0) > 0;

  return {
    isOpen,
    follow: (next) => {
      const isChanged = next.text !== draft.text;
      if (isDismissed && dismissedText === undefined) dismissedText = next.text;
      else if (isDismissed && next.text !== dismissedText) isDismissed = false;
      if (!isChanged && next.cursor === draft.cursor) return;
      if (isChanged) at = 0;
      draft = next;
      if (!isDismissed) look();
    },
    ask: (next) => {
      isDismissed = false;
      draft = next;
      look();
    },
    lookAgain,
    move: (by) => {
      const count = shown?.items.length ?? 0;
      if (count > 0) at = (at + by + count) % count;
    },
    chosen: () => {
      const suggestion = isOpen() ? shown?.items[at] : undefined;
      return shown && suggestion ? { suggestion, from: shown.from, to: shown.to } : undefined;
    },
    dismiss: () => {
      isDismissed = true;
      dismissedText = undefined;
      shown = undefined;
    },
    render: (columns) => {
      if (isDismissed || !shown) return [];
      const first = Math.max(0, Math.min(at - MOST_ROWS + 1, shown.items.length - MOST_ROWS));
      const rows = shown.items
        .slice(Math.max(0, first), Math.max(0, first) + MOST_ROWS)
        .map((item, index) => rowOf(item, Math.max(0, first) + index === at, columns));
      const hidden = shown.items.length - rows.length;
      const notes = [hidden > 0 ? `${hidden} more` : "", shown.note ?? ""].filter((note) => note !== "");
      if (notes.length > 0) rows.push(style.dim(headOf(`  ${notes.join("; ")}`, columns)));
      return rows;
    },
  };

  function rowOf({ shown: name, detail = "" }: Suggestion, isChosen: boolean, columns: number): string {
    const start = headOf(
      `${isChosen ? "▸ " : "  "}${printableLine(name, Math.max(8, columns - 4))}`,
      columns,
    );
    const room = columns - columnsOf(start) - 2;
    const said = room > 8 && detail !== "" ? style.dim(`  ${printableLine(detail, room)}`) : "";
    return (isChosen ? style.bold(start) : start) + said;
  }
}
