// The work items of a folder: a board in the home on which nobody claims anything. Every session and feature of the folder
// reads and writes the same board, each under its own name.

import { dirname } from "node:path";
import type { SecretMask } from "indusagi/core";
import { type Activity, createFileBoard, type Ticket } from "indusagi/swarm";
import type {
  WorkItem,
  WorkItemChange,
  WorkItemStatus,
  WorkItems,
} from "../../feature/work-items-service.ts";
import { HOME_FILES } from "../../store/home-files.ts";
import { withLock } from "../../store/lock.ts";

const STEPS_AT_ONCE = 200;
const MAX_NAME_CHARS = 100;

/**
 * `path` is the board's file; `by` is the writer. What `mask` hides is not written. Throws the system's error when the
 * folder cannot be created.
 */
export function openWorkItems(path: string, mask: Pick<SecretMask, "value">): (by: string) => WorkItems {
  const { maxBytes } = HOME_FILES.workItems;
  const board = createFileBoard({ folder: dirname(path), withLock, maxBytes });
  return (name) => {
    const by = name.slice(0, MAX_NAME_CHARS);
    return {
      name: by,
      list: async (status) => (await board.list(status === undefined ? {} : { status })).map(asWorkItem),
      async changes(after) {
        const steps = await board.activity({ after: after ?? 0 });
        const wanted = after === undefined ? steps.slice(-1) : steps.slice(0, STEPS_AT_ONCE);
        return wanted.flatMap(({ seq, at, by: who, acts }) =>
          acts.flatMap((act): readonly WorkItemChange[] => {
            const done = whatOf(act);
            return done === undefined ? [] : [{ step: seq, at, by: who, ...done }];
          }),
        );
      },
      create: async (draft) => (await board.post(by, [mask.value(draft)]))[0]?.id ?? "",
      comment: async (id, text) => void (await board.comment(by, id, mask.value(text))),
      move: async (id, to, reason) => void (await board.move(by, id, to, reason && mask.value(reason))),
      depend: async (id, on) => void (await board.depend(by, id, on)),
    };
  };
}

function asWorkItem(ticket: Ticket): WorkItem {
  const { id, title, brief, priority, deps, status, summary, comments, postedBy, postedAt } = ticket;
  return {
    ...{ id, title, brief, priority, deps, comments, postedBy, postedAt },
    status: status === "claimed" ? "open" : status, // nobody claims anything here
    ...(summary === undefined ? {} : { summary }),
  };
}

const MOVES: Readonly<Partial<Record<Activity["kind"], WorkItemStatus>>> = {
  ticket_opened: "open",
  ticket_blocked: "blocked",
  ticket_done: "done",
  ticket_failed: "failed",
};

function whatOf(act: Activity): Pick<WorkItemChange, "id" | "what"> | undefined {
  if (act.kind === "ticket_posted") return { id: act.ticket.id, what: "created" };
  if (act.kind === "ticket_commented") return { id: act.id, what: "commented" };
  if (act.kind === "ticket_depends") return { id: act.id, what: "depends" };
  const what = MOVES[act.kind];
  return what === undefined || !("id" in act) ? undefined : { id: act.id, what };
}
