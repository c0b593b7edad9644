// What is said in a session and noted about it. It is there before anybody works in the session, so whoever will work there can be
// given it.

import { foldEntries } from "./branch.ts";
import type { ConductorDeps } from "./conductor-deps.ts";
import type { Conductor } from "./contract.ts";
import { NO_MASK } from "./masked.ts";
import { createNotes, type Notes } from "./notes.ts";
import { createRecord, type SessionRecord } from "./record.ts";
import { createNoticeQueue, type NoticeQueue } from "./turns/notice-queue.ts";

/** The part of a conductor that does nothing by itself. */
export interface Journal
  extends Pick<
    Conductor,
    | "announce"
    | "notify"
    | "noteApproval"
    | "noteDecision"
    | "noteMode"
    | "noteDelegate"
    | "noteSample"
    | "noteTitle"
    | "noteRewind"
    | "secure"
    | "subscribe"
  > {
  readonly record: SessionRecord;
  /** Texts that wait for the model. */
  readonly notices: NoticeQueue;
  readonly notes: Notes;
}

/** Nothing is written before the first note or line. */
export function createJournal({
  log,
  entries,
  fold = foldEntries(entries),
  mask = NO_MASK,
}: Pick<ConductorDeps, "log" | "entries" | "fold" | "mask">): Journal {
  const record = createRecord(log, fold, mask);
  const notices = createNoticeQueue();
  const notes = createNotes(record, entries.length > 0);
  return {
    ...{ record, notices, notes },
    subscribe: record.subscribe,
    announce: record.emit,
    notify(origin, text, { maxBytes, ...more } = {}) {
      const dropped = notices.add({ origin, text, ...more }, maxBytes);
      if (dropped !== undefined)
        record.emit({ kind: "fault", fault: { kind: "feature", message: dropped, owner: origin } });
      return dropped === undefined;
    },
    noteApproval: (approval) => notes.add({ type: "approval", approval }),
    noteDecision: (decision) => notes.add({ type: "decision", decision }),
    noteMode: (change) => notes.add({ type: "mode", ...change }),
    noteDelegate: (delegate) => notes.add({ type: "delegate", ...delegate }),
    noteSample: (sample) => notes.add({ type: "sample", ...sample }),
    noteTitle: (title) => notes.add({ type: "title", ...title }),
    noteRewind: notes.add,
    secure: () => record.log().flush(),
  };
}
