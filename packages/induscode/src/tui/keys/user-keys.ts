// `keybindings.json`: other keys for actions, by action name. Unusable parts are reported with their line, and the rest applies.

import { brief, nearest } from "indusagi/core";
import { placeAt } from "../../store/text-error.ts";
import { ACTIONS, type Action } from "./actions.ts";
import { DEFAULT_KEYS, type KeyTable } from "./bindings.ts";
import { readSpelling } from "./spelling.ts";

export interface UserKeys {
  readonly table: KeyTable;
  /** One line each: what is wrong, its line in the file, and what was done about it. */
  readonly problems: readonly string[];
}

/** Further mistakes are counted but not listed. */
const MOST_PROBLEMS = 20;

/** Reads the text of the file: `{ "edit.submit": "ctrl+enter", "fold": ["ctrl+o", "f2"], "pager": [] }`. */
export async function readUserKeys(text: string): Promise<UserKeys> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: { readonly error: number; readonly offset: number }[] = [];
  const problems: string[] = [];
  const report = (offset: number, problem: string): void =>
    void problems.push(`line ${placeAt(text, offset).line}: ${problem}`);
  let tree: ReturnType<typeof parseTree>;
  try {
    tree = parseTree(text, errors as Parameters<typeof parseTree>[1], { allowTrailingComma: true });
  } catch {
    return {
      table: DEFAULT_KEYS,
      problems: ["line 1: nested too deeply for a list of keys; the default keys apply"],
    };
  }
  const [first] = errors;
  if (first)
    report(first.offset, `not JSON (${printParseErrorCode(first.error)}); what could be read applies`);
  if (tree && tree.type !== "object")
    report(tree.offset, "expected an object of actions; the default keys apply");
  const chosen = new Map<Action, readonly string[]>();
  /** For each key: the action that has it, and its position. */
  const taken = new Map<string, { readonly action: Action; readonly offset: number }>();
  for (const { offset, children: [nameNode, valueNode] = [] } of (tree?.type === "object" && tree.children) ||
    []) {
    const name = String(nameNode?.value ?? "");
    if (!Object.hasOwn(ACTIONS, name)) {
      const near = nearest(name, Object.keys(ACTIONS));
      report(
        offset,
        `"${brief(name, 60)}" is not an action${near === undefined ? "" : `; did you mean "${near}"?`} /keys lists them`,
      );
      continue;
    }
    const action = name as Action;
    const nodes = valueNode?.type === "array" ? (valueNode.children ?? []) : valueNode ? [valueNode] : [];
    const keys: string[] = [];
    for (const node of nodes) {
      const key = typeof node.value === "string" ? readSpelling(node.value) : undefined;
      if (key === undefined) {
        report(
          node.offset,
          `"${name}": ${brief(JSON.stringify(node.value) ?? node.type, 60)} is not a key; write "ctrl+k", "alt+enter", "f5" or "ctrl+x ctrl+e"`,
        );
        continue;
      }
      const other = taken.get(key);
      if (other && other.action !== action) {
        report(
          node.offset,
          `"${key}" is already bound to "${other.action}" (line ${placeAt(text, other.offset).line}); "${name}" does not get it`,
        );
        continue;
      }
      taken.set(key, { action, offset: node.offset });
      keys.push(key);
    }
    // A mistake must not leave an action without keys.
    if (keys.length > 0 || nodes.length === 0) chosen.set(action, keys);
  }
  const table = { ...DEFAULT_KEYS } as Record<Action, readonly string[]>;
  for (const action of Object.keys(ACTIONS) as Action[]) {
    const own = chosen.get(action);
    if (own) {
      table[action] = own;
      continue;
    }
    table[action] = DEFAULT_KEYS[action].filter((key) => {
      const other = taken.get(key) ?? beginning(key, taken);
      if (other)
        report(other.offset, `"${key}" was bound to "${action}" and is now bound to "${other.action}"`);
      return !other;
    });
  }
  const more = problems.length - MOST_PROBLEMS;
  return { table, problems: more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${more} more`] : problems };
}

/** One of the person's keys that is a prefix of `sequence` or begins with it: only one of the two could ever act. */
function beginning<Taken>(sequence: string, taken: ReadonlyMap<string, Taken>): Taken | undefined {
  for (const [key, by] of taken)
    if (sequence.startsWith(`${key} `) || key.startsWith(`${sequence} `)) return by;
  return undefined;
}
