// The board of one machine: a file of steps, and a lock held for the milliseconds of one step. Every decision is made under the
// lock, on an up-to-date board.

import { join } from "node:path";
import { delay } from "../core/abort.ts";
import { monotonicMs, nowMs as wallMs } from "../core/clock.ts";
import { describeError, errorCode } from "../core/faults.ts";
import {
  checkedLease,
  checkedMove,
  checkedName,
  checkedText,
  checkedUse,
  envelopeOf,
  givenUp,
  notFirst,
} from "./board-limits.ts";
import { openBoardLog } from "./board-log.ts";
import { type BoardState, createBoardState } from "./board-state.ts";
import {
  type Activity,
  type Board,
  type BoardEntry,
  BoardError,
  type Claim,
  type ClaimKey,
  type Ticket,
} from "./contract.ts";

/** The name of the board's file in its folder. */
export const BOARD_FILE = "board.jsonl";

export interface FileBoardDeps {
  /** Created if missing. */
  readonly folder: string;
  /**
   * Runs `work` exclusively among all processes that use this path. Rejects if another process keeps the lock. `isMine` returns
   * false once another process has taken the lock over, for instance because this one was suspended for long.
   */
  readonly withLock: <T>(path: string, work: (isMine: () => boolean) => T) => Promise<T>;
  /** The maximum size of its file; unlimited if absent. */
  readonly maxBytes?: number;
  /** Wall clock in milliseconds since 1970; for tests. */
  readonly nowMs?: () => number;
}

/** How often a process waiting for a change checks the file. */
const LOOK_MS = 200;
/** How often a step is retried when its lock is taken over in the middle. */
const ATTEMPTS = 5;

interface Step<T> {
  /** Who performs it. */
  readonly by: string;
  readonly acts: readonly Activity[];
  /** What the caller gets, computed from the board after the step. */
  readonly answer: (seq: number) => T;
}

/** Throws the system's error if the folder cannot be created. */
export function createFileBoard({ folder, withLock, maxBytes, nowMs = wallMs }: FileBoardDeps): Board {
  const path = join(folder, BOARD_FILE);
  const log = openBoardLog(path, maxBytes);
  let state = createBoardState();
  let entries: BoardEntry[] = [];

  const take = (entry: BoardEntry): void => {
    state.apply(entry);
    entries.push(entry);
  };
  const current = (): BoardState => {
    log.refresh(take, () => {
      state = createBoardState();
      entries = [];
    });
    return state;
  };
  const locked = async <T>(work: (isMine: () => boolean) => T): Promise<T> => {
    try {
      return await withLock(`${path}.lock`, work);
    } catch (error) {
      if (error instanceof BoardError) throw error;
      const kind = errorCode(error) === undefined ? "lock_timeout" : "unreachable"; // the system's errors have a code
      throw new BoardError(kind, `the board in ${folder} was not changed: ${describeError(error)}`, {
        cause: error,
      });
    }
  };
  /** Decides under the lock and stores the decision; starts again if the lock was taken over meanwhile. */
  const change = async <T>(decide: (now: BoardState) => Step<T>): Promise<T> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const done = await locked((isMine) => {
        const { by, acts, answer } = decide(current());
        const seq = state.lastSeq() + 1;
        if (acts.length === 0) return { value: answer(seq - 1) };
        const entry: BoardEntry = { seq, at: new Date(nowMs()).toISOString(), by, acts };
        if (!log.append(entry, isMine)) return undefined;
        take(entry);
        return { value: answer(seq) };
      });
      if (done) return done.value;
    }
    throw new BoardError(
      "lock_timeout",
      `the board in ${folder} was not changed: its lock was taken over ${ATTEMPTS} times; try again`,
    );
  };
  const changeTicket = (
    by: string,
    id: string,
    decide: (now: BoardState) => readonly Activity[],
  ): Promise<Ticket> =>
    change((now) => {
      now.ticket(id);
      return { by, acts: decide(now), answer: () => state.ticket(id) };
    });
  /** A change that requires a valid claim on the ticket. */
  const changeClaimed = (claim: ClaimKey, decide: () => Activity): Promise<Ticket> =>
    change((now) => {
      now.checkClaim(claim);
      const { assignee = "" } = now.ticket(claim.id);
      return { by: assignee, acts: [decide()], answer: () => state.ticket(claim.id) };
    });

  return {
    post: async (by, drafts, { isFirst = false } = {}) => {
      checkedName("by", by);
      return change((now) => {
        if (isFirst && now.list({}, 0).length > 0) throw notFirst();
        const acts = now.post(drafts);
        const ids = acts.flatMap((act) => (act.kind === "ticket_posted" ? [act.ticket.id] : []));
        return { by, acts, answer: () => ids.map((id) => state.ticket(id)) };
      });
    },
    list: async (filter = {}) => current().list(filter, nowMs()),
    get: async (id) => current().ticket(id),
    claim: async (member, { leaseMs, ...which }) => {
      checkedName("member", member);
      checkedLease(leaseMs);
      for (;;) {
        const claim = await change<Claim | undefined | "again">((now) => {
          const ticket = now.nextReady(nowMs(), which);
          if (ticket === undefined) return { by: member, acts: [], answer: () => undefined };
          const { id, assignee } = ticket;
          if (now.isGivenUp(ticket))
            return {
              by: member,
              acts: [{ kind: "ticket_failed", id, summary: givenUp(assignee) }],
              answer: () => "again",
            };
          return {
            by: member,
            acts: [{ kind: "ticket_claimed", id, member, leaseUntil: nowMs() + leaseMs }],
            answer: (token) => ({ ticket: state.ticket(id), token }),
          };
        });
        if (claim !== "again") return claim;
      }
    },
    renew: async (claim, leaseMs) => {
      await changeClaimed(claim, () => ({
        kind: "ticket_renewed",
        id: claim.id,
        leaseUntil: nowMs() + leaseMs,
      }));
    },
    finish: async (claim, status, summary, used) => {
      checkedText("summary", summary);
      const took = checkedUse(used);
      const kind = status === "done" ? "ticket_done" : "ticket_failed";
      return changeClaimed(claim, () => ({ kind, id: claim.id, summary, ...took }));
    },
    release: async (claim, reason, used) => {
      const took = checkedUse(used);
      const why = reason === undefined ? {} : { summary: checkedText("reason", reason) };
      await changeClaimed(claim, () => ({ kind: "ticket_released", id: claim.id, ...why, ...took }));
    },
    move: async (by, id, to, reason) => {
      const act = checkedMove(id, to, reason);
      return changeTicket(checkedName("by", by), id, () => [act]);
    },
    comment: async (by, id, text) =>
      changeTicket(checkedName("by", by), id, () => [
        { kind: "ticket_commented", id, text: checkedText("comment", text) },
      ]),
    depend: async (by, id, on) => changeTicket(checkedName("by", by), id, (now) => now.depend(id, on)),
    assign: async (by, id, agent) => {
      const to = agent === undefined ? {} : { agent: checkedName("agent", agent) };
      return changeTicket(checkedName("by", by), id, () => [{ kind: "ticket_assigned", id, ...to }]);
    },
    enrol: async (member) => {
      checkedName("member", member);
      await change((now) => ({
        by: member,
        acts: now.isEnrolled(member) ? [] : [{ kind: "member_spawned", member }],
        answer: () => undefined,
      }));
    },
    send: async (from, to, body) => {
      const envelope = envelopeOf(from, to, body, nowMs());
      return change(() => ({ by: from, acts: [{ kind: "message_sent", envelope }], answer: () => envelope }));
    },
    poll: async (reader) => {
      checkedName("reader", reader);
      return change((now) => {
        const { envelopes, upTo } = now.unread(reader);
        const acts: Activity[] = envelopes.length === 0 ? [] : [{ kind: "messages_read", reader, upTo }];
        return { by: reader, acts, answer: () => envelopes };
      });
    },
    activity: async ({ after = 0, max = Number.POSITIVE_INFINITY } = {}) => {
      current();
      return entries.slice(after, after + max);
    },
    changed: async (after, { maxMs, signal }) => {
      const deadlineMs = monotonicMs() + maxMs;
      for (;;) {
        const last = current().lastSeq();
        const leftMs = deadlineMs - monotonicMs();
        if (last > after || leftMs <= 0) return last;
        await delay(Math.min(LOOK_MS, leftMs), signal);
      }
    },
    close: async () => undefined,
  };
}
