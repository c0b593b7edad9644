// The board of one machine: a file of steps, and a lock held for the milliseconds of one step.

import { delay } from "../core/abort.ts";
import { monotonicMs } from "../core/clock.ts";
import { BoardFile, type FileBoardDeps, type FileStep } from "./board-file.ts";
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
import type { BoardState } from "./board-state.ts";
import type { Activity, Board, Claim, ClaimKey, ClaimOptions, Ticket } from "./contract.ts";

/** How often a process waiting for a change checks the file. */
const LOOK_MS = 200;

/** Throws the system's error if the folder cannot be created. */
export function createFileBoard(deps: FileBoardDeps): Board {
  const file = new BoardFile(deps);
  const changeTicket = (
    by: string,
    id: string,
    decide: (now: BoardState) => readonly Activity[],
  ): Promise<Ticket> =>
    file.change((now) => {
      now.ticket(id);
      return { by, acts: decide(now), answer: (after) => after.ticket(id) };
    });
  /** A change that requires a valid claim on the ticket. */
  const changeClaimed = (claim: ClaimKey, decide: () => Activity): Promise<Ticket> =>
    file.change((now) => {
      now.checkClaim(claim);
      const { assignee = "" } = now.ticket(claim.id);
      return { by: assignee, acts: [decide()], answer: (after) => after.ticket(claim.id) };
    });

  return {
    post: async (by, drafts, { isFirst = false } = {}) => {
      checkedName("by", by);
      return file.change((now) => {
        if (isFirst && now.list({}, 0).length > 0) throw notFirst();
        const acts = now.post(drafts);
        const ids = acts.flatMap((act) => (act.kind === "ticket_posted" ? [act.ticket.id] : []));
        return { by, acts, answer: (after) => ids.map((id) => after.ticket(id)) };
      });
    },
    list: async (filter = {}) => file.current().list(filter, file.nowMs()),
    get: async (id) => file.current().ticket(id),
    claim: async (member, options) => {
      checkedName("member", member);
      checkedLease(options.leaseMs);
      for (;;) {
        const claim = await file.change((now) => claimStep(now, member, options, file.nowMs));
        if (claim !== "again") return claim;
      }
    },
    renew: async (claim, leaseMs) => {
      await changeClaimed(claim, () => ({
        kind: "ticket_renewed",
        id: claim.id,
        leaseUntil: file.nowMs() + leaseMs,
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
      await file.change((now) => ({
        by: member,
        acts: now.isEnrolled(member) ? [] : [{ kind: "member_spawned", member }],
        answer: () => undefined,
      }));
    },
    send: async (from, to, body) => {
      const envelope = envelopeOf(from, to, body, file.nowMs());
      return file.change(() => ({
        by: from,
        acts: [{ kind: "message_sent", envelope }],
        answer: () => envelope,
      }));
    },
    poll: async (reader) => {
      checkedName("reader", reader);
      return file.change((now) => {
        const { envelopes, upTo } = now.unread(reader);
        const acts: Activity[] = envelopes.length === 0 ? [] : [{ kind: "messages_read", reader, upTo }];
        return { by: reader, acts, answer: () => envelopes };
      });
    },
    activity: async ({ after = 0, max = Number.POSITIVE_INFINITY } = {}) =>
      file.entries().slice(after, after + max),
    changed: async (after, { maxMs, signal }) => {
      const deadlineMs = monotonicMs() + maxMs;
      for (;;) {
        const last = file.current().lastSeq;
        const leftMs = deadlineMs - monotonicMs();
        if (last > after || leftMs <= 0) return last;
        await delay(Math.min(LOOK_MS, leftMs), signal);
      }
    },
    close: async () => undefined,
  };
}

/** Claims the next ready ticket, or fails one that is not retried: then there may be another. */
function claimStep(
  now: BoardState,
  member: string,
  { leaseMs, ...which }: ClaimOptions,
  nowMs: () => number,
): FileStep<Claim | "again" | undefined> {
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
    answer: (after) => ({ ticket: after.ticket(id), token: after.lastSeq }),
  };
}
