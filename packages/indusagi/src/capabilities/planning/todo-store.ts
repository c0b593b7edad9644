// Checklists, one for each conversation. Two tools share a store: that of the session that calls, or the bare catalogue's.

import { type SessionKey, sessionKey } from "../../core/session-scope.ts";

export type TodoStatus = "pending" | "active" | "done";

/** One line of a checklist. */
export interface TodoItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

export interface TodoStore {
  /** The list of a conversation (`ToolContext.contextId`); empty when it has none. */
  readonly get: (contextId: number) => readonly TodoItem[];
  /** Replaces the whole list; an empty one clears it. */
  readonly set: (contextId: number, items: readonly TodoItem[]) => void;
  /** Forgets every list. */
  readonly reset: () => void;
}

// Nothing tells a store when a conversation ends, so it keeps the ones written to last.
const MAX_LISTS = 1_000;

/** The checklists of a session. */
export const TODOS: SessionKey<TodoStore> = sessionKey("todos");

export function createTodoStore(): TodoStore {
  const lists = new Map<number, readonly TodoItem[]>();
  return {
    get: (contextId) => lists.get(contextId) ?? [],
    set(contextId, items) {
      lists.delete(contextId); // a key set again moves to the end
      if (items.length > 0) lists.set(contextId, items);
      const [oldest] = lists.keys();
      if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest);
    },
    reset: () => lists.clear(),
  };
}
