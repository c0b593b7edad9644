// Checklists, one per conversation. Two tools share a store: the calling session's, or the bare catalogue's.

import { type SessionKey, sessionKey } from "../../core/session-scope.ts";

export type TodoStatus = "pending" | "active" | "done";

/** One line of a checklist. */
export interface TodoItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

export interface TodoStore {
  /** A conversation's list (`ToolContext.contextId`); empty if it has none. */
  readonly get: (contextId: number) => readonly TodoItem[];
  /** Replaces the whole list; an empty one clears it. */
  readonly set: (contextId: number, items: readonly TodoItem[]) => void;
  /** Forgets every list. */
  readonly reset: () => void;
}

// Nothing tells a store that a conversation has ended, so it keeps the most recently written lists.
const MAX_LISTS = 1_000;

/** The checklists of a session. */
export const TODOS: SessionKey<TodoStore> = sessionKey("todos");

export function createTodoStore(): TodoStore {
  const lists = new Map<number, readonly TodoItem[]>();
  return {
    get: (contextId) => lists.get(contextId) ?? [],
    set(contextId, items) {
      lists.delete(contextId); // setting a key again moves it to the end
      if (items.length > 0) lists.set(contextId, items);
      const [oldest] = lists.keys();
      if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest);
    },
    reset: () => lists.clear(),
  };
}
