// A board as a fold of its entries, and what each step adds to it. No I/O here: two processes with the same entries have the
// same board.

import { checkDeps, MAX_LAPSES, noTicket, overClaim, sumOfUse } from "./board-limits.ts";
import {
  type Activity,
  type BoardEntry,
  BoardError,
  type ClaimKey,
  type ClaimOptions,
  type Envelope,
  type Ticket,
  type TicketDraft,
  type TicketFilter,
  type TicketStatus,
} from "./contract.ts";
import { earlierDeps, newTickets, refuseCircle } from "./new-tickets.ts";

interface KeptTicket {
  ticket: Ticket;
  /** The step of its last claim: the claim's token. */
  token: number;
  /** How many claims in a row expired without a report from the claimer. */
  lapses: number;
}

export interface BoardState {
  readonly apply: (entry: BoardEntry) => void;
  readonly lastSeq: () => number;
  readonly ticket: (id: string) => Ticket;
  readonly list: (filter: TicketFilter, nowMs: number) => readonly Ticket[];
  /** What the reader has not read, and the step of the last of those messages. */
  readonly unread: (reader: string) => { readonly envelopes: readonly Envelope[]; readonly upTo: number };
  /** The activities of a post, including the tickets it creates. */
  readonly post: (drafts: readonly TicketDraft[]) => readonly Activity[];
  readonly nextReady: (nowMs: number, which: Omit<ClaimOptions, "leaseMs">) => Ticket | undefined;
  /** So many of its claims expired without a report that it is not retried. */
  readonly isGivenUp: (ticket: Ticket) => boolean;
  /** Throws a conflict unless the claim is the ticket's latest and no decision about the ticket has ended it. */
  readonly checkClaim: (claim: ClaimKey) => void;
  readonly depend: (id: string, on: readonly string[]) => readonly Activity[];
  readonly isEnrolled: (member: string) => boolean;
}

/** The activities that end a claim. */
type DecidedKind = `ticket_${"released" | "opened" | "done" | "failed" | "blocked"}`;

export const RANK = { high: 0, normal: 1, low: 2 } as const;

export function createBoardState(): BoardState {
  const kept = new Map<string, KeptTicket>();
  const members = new Set<string>();
  const sent: { readonly seq: number; readonly envelope: Envelope }[] = [];
  const cursors = new Map<string, number>();
  let seq = 0;

  const keptOf = (id: string): KeptTicket => {
    const found = kept.get(id);
    if (found) return found;
    throw noTicket(id);
  };
  const change = (id: string, changes: Partial<Ticket>): void => {
    const own = keptOf(id);
    own.ticket = { ...own.ticket, ...changes };
  };
  const isReady = ({ status, leaseUntil = 0, deps }: Ticket, nowMs: number): boolean =>
    (status === "open" || (status === "claimed" && leaseUntil < nowMs)) &&
    deps.every((id) => kept.get(id)?.ticket.status === "done");

  const applyAct = (act: Activity, { seq: step, at, by }: BoardEntry): void => {
    switch (act.kind) {
      case "member_spawned":
        members.add(act.member);
        if (!cursors.has(act.member)) cursors.set(act.member, step);
        return;
      case "ticket_posted":
        kept.set(act.ticket.id, {
          ticket: { ...act.ticket, status: "open", comments: [], postedBy: by, postedAt: at },
          token: 0,
          lapses: 0,
        });
        return;
      case "ticket_claimed": {
        const own = keptOf(act.id);
        if (own.ticket.status === "claimed") own.lapses++;
        change(act.id, {
          ...{ status: "claimed", assignee: act.member },
          ...{ claimedAt: Date.parse(at), leaseUntil: act.leaseUntil },
        });
        own.token = step;
        return;
      }
      case "ticket_assigned": {
        const own = keptOf(act.id);
        const { agent: _before, ...ticket } = own.ticket;
        own.ticket = { ...ticket, agent: act.agent };
        return;
      }
      case "ticket_renewed":
        change(act.id, { leaseUntil: act.leaseUntil });
        return;
      case "ticket_commented": {
        const { comments } = keptOf(act.id).ticket;
        change(act.id, { comments: [...comments, { by, at, text: act.text }] });
        return;
      }
      case "ticket_depends":
        change(act.id, { deps: [...new Set([...keptOf(act.id).ticket.deps, ...act.on])] });
        return;
      case "message_sent":
        sent.push({ seq: step, envelope: act.envelope });
        return;
      case "messages_read":
        cursors.set(act.reader, act.upTo);
        return;
      default: {
        const own = keptOf(act.id);
        const { claimedAt: _since, leaseUntil: _ended, ...ticket } = own.ticket;
        const { kind, ...facts } = act;
        const summary = "summary" in facts && facts.summary !== undefined ? { summary: facts.summary } : {};
        const used = "used" in facts && facts.used ? { used: sumOfUse(ticket.used, facts.used) } : {};
        kept.set(act.id, {
          ticket: { ...ticket, status: STATUS_AFTER[kind], ...summary, ...used },
          token: 0,
          lapses: 0,
        });
      }
    }
  };

  return {
    apply(entry) {
      if (entry.seq !== seq + 1)
        throw new BoardError("damaged", `expected step ${seq + 1} of the board, found ${entry.seq}`);
      seq = entry.seq;
      for (const act of entry.acts) applyAct(act, entry);
    },
    lastSeq: () => seq,
    ticket: (id) => keptOf(id).ticket,
    isEnrolled: (member) => members.has(member),
    list({ status, ready }, nowMs) {
      return [...kept.values()]
        .map(({ ticket }) => ticket)
        .filter((ticket) => status === undefined || ticket.status === status)
        .filter((ticket) => ready === undefined || isReady(ticket, nowMs) === ready);
    },
    unread(reader) {
      const after = cursors.get(reader) ?? 0;
      const first = sent.findIndex(({ seq: step }) => step > after);
      const later = first === -1 ? [] : sent.slice(first);
      const envelopes = later
        .map(({ envelope }) => envelope)
        .filter(({ to, from }) => to === reader || (to === "*" && from !== reader));
      return { envelopes, upTo: later.at(-1)?.seq ?? after };
    },
    post(drafts) {
      const posted = newTickets(drafts, kept.size);
      for (const dep of earlierDeps(posted)) keptOf(dep);
      refuseCircle(
        new Map(posted.map(({ id, deps }) => [id, deps])),
        (id) => kept.get(id)?.ticket.deps ?? [],
      );
      return posted.map((ticket) => ({ kind: "ticket_posted", ticket }));
    },
    isGivenUp: ({ id, status }) => status === "claimed" && keptOf(id).lapses + 1 >= MAX_LAPSES,
    nextReady(nowMs, { agents, except }) {
      let next: Ticket | undefined;
      for (const { ticket } of kept.values()) {
        if (next && RANK[ticket.priority] >= RANK[next.priority]) continue;
        if (agents && ticket.agent !== undefined && !agents.includes(ticket.agent)) continue;
        if (except?.includes(ticket.id)) continue;
        if (isReady(ticket, nowMs)) next = ticket;
        if (next?.priority === "high") break;
      }
      return next;
    },
    checkClaim({ id, token }) {
      const { ticket, token: last } = keptOf(id);
      if (ticket.status === "claimed" && last === token) return;
      throw overClaim(ticket);
    },
    depend(id, on) {
      const { deps } = keptOf(id).ticket;
      const added = on.map((dep) => keptOf(dep).ticket.id);
      const all = [...new Set([...deps, ...added])];
      checkDeps(id, all.length);
      refuseCircle(new Map([[id, all]]), (other) => kept.get(other)?.ticket.deps ?? []);
      return [{ kind: "ticket_depends", id, on: added }];
    },
  };
}

const STATUS_AFTER: Readonly<Record<DecidedKind, Exclude<TicketStatus, "claimed">>> = {
  ticket_released: "open",
  ticket_opened: "open",
  ticket_done: "done",
  ticket_failed: "failed",
  ticket_blocked: "blocked",
};
