// The keys in readable form: for `/keys`, and for the guide's table.

import { tableLines } from "../../console/table.ts";
import { ACTIONS, type Action } from "./actions.ts";
import { DEFAULT_KEYS, type KeyTable } from "./bindings.ts";

/** One line per action: its name, its keys, what it does. */
export function keyLines(table: KeyTable): readonly string[] {
  const rows = (Object.keys(ACTIONS) as Action[]).map((action) => {
    const keys = table[action].length === 0 ? "–" : table[action].map(shownKey).join(", ");
    const isOwn = table[action].join() !== DEFAULT_KEYS[action].join();
    return [action, keys, `${ACTIONS[action].summary}${isOwn ? "  (yours)" : ""}`];
  });
  return tableLines(rows).map((line) => `  ${line}`);
}

/** The key that hints name for an action, its first; undefined if the person removed all its keys. */
export function keyOf(table: KeyTable, action: Action): string | undefined {
  const [key] = table[action];
  return key === undefined ? undefined : shownKey(key).replace(/\bEscape$/, "Esc");
}

/** `ctrl+x ctrl+e` as `Ctrl+X Ctrl+E`. */
function shownKey(key: string): string {
  return key
    .split(" ")
    .map((each) =>
      each
        .split(/\+(?=.)/)
        .map((part) => (part.length === 1 ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1)))
        .join("+"),
    )
    .join(" ");
}

/** The guide's table. */
export function keyTable(): string {
  const rows = (Object.keys(ACTIONS) as Action[]).map((action) => {
    const keys = ACTIONS[action].keys.map((key) => `\`${shownKey(key)}\``).join(" ");
    return `| ${keys || "–"} | ${ACTIONS[action].summary} | \`${action}\` |`;
  });
  return ["| keys | does | action |", "|---|---|---|", ...rows].join("\n");
}
