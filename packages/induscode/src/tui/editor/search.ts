// Ctrl+R: the newest history line that contains the typed text; each further Ctrl+R finds the one before it.

import { columnsOf, headOf } from "../../console/columns.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { Style } from "../../console/style.ts";
import type { Key, Rows } from "../contract.ts";
import type { Action } from "../keys/actions.ts";
import type { KeyTable } from "../keys/bindings.ts";
import { keyOf } from "../keys/list-keys.ts";
import { borderBefore, cleanText } from "./state.ts";

export interface Search {
  /** `stay`: continue; `take`: insert what was found; `leave`: change nothing; `use`: insert it, then run the key's action. */
  readonly press: (key: Key, action: Action | undefined) => "stay" | "take" | "leave" | "use";
  readonly found: () => string | undefined;
  readonly render: (columns: number, style: Style) => Rows;
}

const HINTS = [
  ["edit.submit", "accepts"],
  ["history.search", "searches on"],
  ["interrupt", "cancels"],
] as const;

/** `lines`: oldest first. */
export function createSearch(lines: readonly string[], table: KeyTable): Search {
  let query = "";
  let at = lines.length;
  let isLost = false;

  // Searches from `from` towards older lines.
  function find(from: number): void {
    const wanted = query.toLowerCase();
    let next = Math.min(from, lines.length - 1);
    while (next >= 0 && !lines[next]?.toLowerCase().includes(wanted)) next -= 1;
    isLost = next < 0;
    if (!isLost) at = next;
  }

  const found = (): string | undefined => (query === "" ? undefined : lines[at]);

  return {
    found,
    press: (key, action) => {
      if (action === "history.search" || action === "edit.up") {
        if (query !== "") find(at - 1);
        return "stay";
      }
      if (action === "edit.deleteLeft") {
        query = query.slice(0, borderBefore(query, query.length));
        at = lines.length;
        find(at);
        return "stay";
      }
      if (key.name === "text" && !action) {
        query += cleanText(key.text ?? "").replaceAll("\n", " ");
        find(at);
        return "stay";
      }
      if (action === "interrupt" || action === "cancel") return "leave";
      return action === "edit.submit" ? "take" : "use";
    },
    render: (columns, style) => {
      const head = headOf(
        `${isLost ? "not found" : "history"}: ${printableLine(query)}`,
        Math.max(1, columns - 1),
      );
      const line = found();
      const room = Math.max(1, columns - 2);
      const shown = line === undefined ? "" : printableLine(line, room);
      const hints = HINTS.flatMap(([action, does]) => {
        const key = keyOf(table, action);
        return key === undefined ? [] : [`${key} ${does}`];
      });
      const hint = headOf(`  ${hints.join(", ")}`, columns);
      return {
        rows: [head, ...(shown === "" ? [] : [`  ${headOf(shown, room)}`]), style.dim(hint)],
        cursor: { row: 0, column: Math.min(columnsOf(head), Math.max(0, columns - 1)) },
      };
    },
  };
}
