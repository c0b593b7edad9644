// What members do with the tickets of a board in PostgreSQL: each call checks what it was given, and is one step.

import { checkedLease, checkedMove, checkedName, checkedText, checkedUse, givenUp } from "../board-limits.ts";
import type { Activity, Board, Claim, ClaimKey, ClaimOptions, Ticket } from "../contract.ts";
import type { Done, Step } from "./board-steps.ts";
import type { TicketQueue } from "./ticket-queue.ts";
import { asTicket, type TicketRow, type TicketRows } from "./ticket-rows.ts";
import { TicketStep } from "./ticket-step.ts";

type TicketCalls = Pick<
  Board,
  | ("post" | "list" | "get" | "claim" | "renew" | "finish" | "release")
  | ("move" | "comment" | "depend" | "assign")
>;

/** What a step does to one ticket: the activity, and the ticket after it. */
type TicketWork = (
  now: TicketStep,
  row: TicketRow,
) => Promise<{ readonly act: Activity; readonly row: TicketRow }>;

/** `kept` are its tickets outside of a step. */
export function ticketsOf(kept: TicketRows, queue: TicketQueue, perform: Step): TicketCalls {
  const step = <T>(by: string, decide: (now: TicketStep) => Promise<Done<T>>): Promise<T> =>
    perform(by, (tx) => decide(new TicketStep(kept.board, queue, tx)));
  const changeTicket = (by: string, id: string, work: TicketWork): Promise<Ticket> =>
    step(checkedName("by", by), async (now) => {
      const { act, row } = await work(now, await now.one(id));
      return { acts: [act], value: asTicket(row) };
    });
  /** A change that requires a valid claim on the ticket. */
  const changeClaimed = async (claim: ClaimKey, work: TicketWork): Promise<Ticket> => {
    // Read before the lock; the claim is checked under it, and an ended one never becomes valid again.
    const { assignee } = await kept.one(claim.id);
    return step(assignee ?? "nobody", async (now) => {
      const { act, row } = await work(now, await now.claimed(claim));
      return { acts: [act], value: asTicket(row) };
    });
  };
  const take = (member: string, options: ClaimOptions): Promise<Claim | "again" | undefined> =>
    step<Claim | "again" | undefined>(member, async (now) => {
      const next = await now.next(options);
      if (!next) return { acts: [], value: undefined };
      const { id, assignee } = next;
      const until = new Date(now.at.getTime() + options.leaseMs);
      const taken = await now.take(next, member, until);
      if (taken)
        return {
          acts: [{ kind: "ticket_claimed", id, member, leaseUntil: until.getTime() }],
          value: { ticket: asTicket(taken), token: now.seq },
        };
      const summary = givenUp(assignee ?? undefined);
      await now.put(next, "failed", summary);
      return { acts: [{ kind: "ticket_failed", id, summary }], value: "again" };
    });

  return {
    post: async (by, drafts, { isFirst = false } = {}) =>
      step(checkedName("by", by), async (now) => {
        const { acts, rows } = await now.post(by, drafts, isFirst);
        return { acts, value: rows.map(asTicket) };
      }),
    list: async (filter = {}) => (await kept.list(filter)).map(asTicket),
    get: async (id) => asTicket(await kept.one(id)),
    async claim(member, options) {
      checkedName("member", member);
      checkedLease(options.leaseMs);
      for (;;) {
        // Finding nothing must not hold up anybody's step.
        if ((await kept.next(options)) === undefined) return undefined;
        const claim = await take(member, options);
        if (claim !== "again") return claim;
      }
    },
    renew: async (claim, leaseMs) => {
      await changeClaimed(claim, async (now, { id }) => {
        const until = new Date(now.at.getTime() + leaseMs);
        const act = { kind: "ticket_renewed", id, leaseUntil: until.getTime() } as const;
        return { act, row: await now.set(id, "lease_until = $3", until) };
      });
    },
    finish: async (claim, status, summary, used) => {
      checkedText("summary", summary);
      const took = checkedUse(used);
      const kind = status === "done" ? "ticket_done" : "ticket_failed";
      return changeClaimed(claim, async (now, row) => ({
        act: { kind, id: row.id, summary, ...took },
        row: await now.put(row, status, summary, took.used),
      }));
    },
    release: async (claim, reason, used) => {
      const took = checkedUse(used);
      const why = reason === undefined ? {} : { summary: checkedText("reason", reason) };
      await changeClaimed(claim, async (now, row) => ({
        act: { kind: "ticket_released", id: row.id, ...why, ...took },
        row: await now.put(row, "open", reason, took.used),
      }));
    },
    move: async (by, id, to, reason) => {
      const act = checkedMove(id, to, reason);
      return changeTicket(by, id, async (now, row) => ({ act, row: await now.put(row, to, reason) }));
    },
    comment: async (by, id, text) => {
      checkedText("comment", text);
      return changeTicket(by, id, async (now, { comments }) => {
        const all = [...comments, { by, at: now.at.toISOString(), text }];
        const row = await now.set(id, "comments = $3", JSON.stringify(all));
        return { act: { kind: "ticket_commented", id, text }, row };
      });
    },
    depend: async (by, id, on) =>
      changeTicket(by, id, async (now, row) => ({
        act: { kind: "ticket_depends", id, on },
        row: await now.depend(row, on),
      })),
    assign: async (by, id, agent) => {
      const to = agent === undefined ? {} : { agent: checkedName("agent", agent) };
      return changeTicket(by, id, async (now) => ({
        act: { kind: "ticket_assigned", id, ...to },
        row: await now.set(id, "agent = $3", agent ?? null),
      }));
    },
  };
}
