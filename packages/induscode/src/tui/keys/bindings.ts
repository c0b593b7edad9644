// Which key does what: the defaults, and the person's own choices.

import type { Key } from "../contract.ts";
import { ACTIONS, type Action } from "./actions.ts";
import { spellKey } from "./spelling.ts";

/** The keys of each action, as spelled. */
export type KeyTable = Readonly<Record<Action, readonly string[]>>;

export interface Bindings {
  readonly table: KeyTable;
  /**
   * What `key` does after the keys in `before` (an unfinished sequence, empty at first): an action, or the sequence so far if
   * more keys must follow. Undefined if it does nothing.
   */
  readonly look: (
    key: Key,
    before: string,
  ) => { readonly action: Action } | { readonly pending: string } | undefined;
}

export const DEFAULT_KEYS: KeyTable = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { keys }]) => [action, keys]),
) as unknown as KeyTable;

export function createBindings(table: KeyTable = DEFAULT_KEYS): Bindings {
  const actions = new Map<string, Action>();
  const begun = new Set<string>();
  for (const [action, keys] of Object.entries(table) as [Action, readonly string[]][])
    for (const keySequence of keys) {
      if (!actions.has(keySequence)) actions.set(keySequence, action);
      const parts = keySequence.split(" ");
      for (let length = 1; length < parts.length; length++) begun.add(parts.slice(0, length).join(" "));
    }
  return {
    table,
    look: (key, before) => {
      // Within a sequence a letter is a key.
      const spelled = spellKey(key) ?? (before === "" || key.name === "paste" ? undefined : key.text);
      if (spelled === undefined) return undefined;
      const sequence = before === "" ? spelled : `${before} ${spelled}`;
      if (begun.has(sequence)) return { pending: sequence };
      const action = actions.get(sequence);
      return action === undefined ? undefined : { action };
    },
  };
}
