// What a session goes on with when it is resumed, and what a new or a cleared one begins without. All of it comes from
// the log (decision 040).

import { recallTodos, type TodoStore } from "indusagi/capabilities";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { lastInputOf, recallSession } from "../conductor/recall.ts";
import type { Permissions } from "../deck/permissions/permissions.ts";
import { describeApproval } from "../deck/permissions/session-grants.ts";
import type { Conversation } from "./conversation.ts";
import type { DocumentNotices } from "./document-notices.ts";

export interface RecallDeps {
  readonly conversation: Conversation;
  readonly todos: TodoStore;
  readonly permissions: Pick<Permissions, "recall">;
  readonly documents: DocumentNotices;
}

export interface SessionRecall {
  /** Puts back what these entries say. Answers a line for the person about what they allowed, or none. */
  readonly resume: (entries: readonly Entry[]) => readonly string[];
  /** A new session has seen and been allowed nothing. */
  readonly begin: () => void;
  /** From now on a cleared view forgets what it had seen. */
  readonly follow: (conductor: Pick<Conductor, "subscribe">) => void;
}

export function createRecall({ conversation, todos, permissions, documents }: RecallDeps): SessionRecall {
  return {
    resume,
    begin: () => void resume([]),
    follow(conductor) {
      documents.follow(conductor);
      conductor.subscribe((event) => {
        if (event.kind === "entry" && event.entry.type === "clear") forget();
      });
    },
  };

  function resume(entries: readonly Entry[]): readonly string[] {
    const { files, approvals, documents: shown } = recallSession(entries);
    conversation.recall(
      [...files].map(([path, { at, ...record }]) => [path, { ...record, readAt: at }] as const),
    );
    recallTodos(todos, conversation.contextId, lastInputOf(entries, "todo_set") ?? {});
    permissions.recall(approvals);
    documents.recall(shown.values());
    if (approvals.length === 0) return [];
    const allowed = [...new Set(approvals.map(describeApproval))].join(", ");
    return [`allowed in this session before, and still: ${allowed}`];
  }

  function forget(): void {
    conversation.recall([]);
    todos.set(conversation.contextId, []);
  }
}
