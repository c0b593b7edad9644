// What a session goes on with when it is resumed, and what a new or a cleared one begins without. All of it comes from
// the log (decision 040).

import { recallTodos, type TodoStore } from "indusagi/capabilities";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { lastInputOf, recallSession } from "../conductor/recall.ts";
import { printableLine } from "../console/printable-line.ts";
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

// One line that is read: the last answers, each as far as it says what it is about.
const MAX_SHOWN = 5;
const MAX_COLUMNS = 100;

export function createRecall({ conversation, todos, permissions, documents }: RecallDeps): SessionRecall {
  return {
    resume,
    begin: () => void resume([]),
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

  function resume(entries: readonly Entry[]): readonly string[] {
    const { files, approvals, documents: shown } = recallSession(entries);
    conversation.recall(
      [...files].map(([path, { at, ...record }]) => [path, { ...record, readAt: at }] as const),
    );
    recallTodos(todos, conversation.contextId, lastInputOf(entries, "todo_set") ?? {});
    permissions.recall(approvals);
    documents.recall(shown.values());
    if (approvals.length === 0) return [];
    const allowed = [...new Set(approvals.map(describeApproval))];
    const last = allowed.slice(-MAX_SHOWN).map((each) => printableLine(each, MAX_COLUMNS));
    const more = allowed.length > MAX_SHOWN ? ` and ${allowed.length - MAX_SHOWN} more` : "";
    return [`allowed in this session before, and still: ${last.join(", ")}${more}`];
  }

  function forget(): void {
    conversation.recall([]);
    todos.set(conversation.contextId, []);
  }
}
