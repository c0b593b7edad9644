// What the session notes about itself besides the conversation: answers, decisions, delegates, its title.

import type { EntryBody } from "./contract.ts";
import type { SessionRecord } from "./record.ts";

// Features may add notes again and again before the person's first line.
const MAX_EARLY = 1_000;

export interface Notes {
  /** Whether the person has said something: a session without a line leaves no log. */
  readonly hasBegun: () => boolean;
  /** Logs the note, or keeps it for the first line. */
  readonly add: (body: EntryBody) => void;
  /** The first line is logged. */
  readonly begin: () => void;
  /** Logs what waited for it. */
  readonly logEarly: () => void;
  /** Another session takes this one's place. */
  readonly restart: (hasBegun: boolean) => void;
}

export function createNotes(record: Pick<SessionRecord, "append">, begun: boolean): Notes {
  const early: EntryBody[] = [];
  let hasBegun = begun;
  return {
    hasBegun: () => hasBegun,
    add(body) {
      // A feature's session may begin, and cost something, before anything was said.
      if (hasBegun || (body.type === "delegate" && body.by !== undefined)) record.append(body);
      else if (early.length < MAX_EARLY) early.push(body);
    },
    begin() {
      hasBegun = true;
    },
    logEarly() {
      for (let body = early.shift(); body; body = early.shift()) record.append(body);
    },
    restart(isBegun) {
      hasBegun = isBegun;
      early.length = 0;
    },
  };
}
