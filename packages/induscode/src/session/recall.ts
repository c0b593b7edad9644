// What a resumed session continues with, and what a new or cleared one starts without. All of it comes from the log
// (decision 014).

import { recallTodos, type TodoStore } from "indusagi/capabilities";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { lastInputOf, recallSession } from "../conductor/recall.ts";
import type { SessionApproval } from "../deck/contract.ts";
import type { Permissions } from "../deck/permissions/permissions.ts";
import type { Conversation } from "./conversation.ts";
import type { DocumentNotices } from "./document-notices.ts";

export interface RecallDeps {
  readonly conversation: Conversation;
  readonly todos: TodoStore;
  readonly permissions: Pick<Permissions, "recall">;
  readonly documents: DocumentNotices;
}

export interface SessionRecall {
  /** Restores what these entries say; without any, nothing was seen or allowed. Returns what the person allowed in them. */
  readonly resume: (entries: readonly Entry[]) => readonly SessionApproval[];
  /** From now on a cleared view forgets what it had seen. */
  readonly follow: (conductor: Pick<Conductor, "subscribe">) => void;
}

export function createRecall({ conversation, todos, permissions, documents }: RecallDeps): SessionRecall {
  return {
    resume,
    follow(conductor) {
      documents.follow(conductor);
      conductor.subscribe(
        (event) => {
          if (event.kind === "entry" && event.entry.type === "clear") forget();
        },
        { pieces: false },
      );
    },
  };

  function resume(entries: readonly Entry[]): readonly SessionApproval[] {
    const { files, approvals, documents: shown } = recallSession(entries);
    conversation.recall(
      [...files].map(([path, { at, ...record }]) => [path, { ...record, readAt: at }] as const),
    );
    recallTodos(todos, conversation.contextId, lastInputOf(entries, "todo_set") ?? {});
    permissions.recall(approvals);
    documents.recall(shown.values());
    return approvals;
  }

  function forget(): void {
    conversation.recall([]);
    todos.set(conversation.contextId, []);
  }
}
