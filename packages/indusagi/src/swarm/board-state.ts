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

/** The activities that end a claim. */
type DecidedKind = `ticket_${"released" | "opened" | "done" | "failed" | "blocked"}`;

export const RANK = { high: 0, normal: 1, low: 2 } as const;

export class BoardState {
  readonly #kept = new Map<string, KeptTicket>();
  readonly #members = new Set<string>();
  readonly #sent: { readonly seq: number; readonly envelope: Envelope }[] = [];
  /** The last step that each reader has read. */
  readonly #cursors = new Map<string, number>();
  #seq = 0;

  apply(entry: BoardEntry): void {
    if (entry.seq !== this.#seq + 1)
      throw new BoardError("damaged", `expected step ${this.#seq + 1} of the board, found ${entry.seq}`);
    this.#seq = entry.seq;
    for (const act of entry.acts) this.#applyAct(act, entry);
  }

  get lastSeq(): number {
    return this.#seq;
  }

  ticket(id: string): Ticket {
    return this.#keptOf(id).ticket;
  }

  isEnrolled(member: string): boolean {
    return this.#members.has(member);
  }

  list({ status, ready }: TicketFilter, nowMs: number): readonly Ticket[] {
    return [...this.#kept.values()]
      .map(({ ticket }) => ticket)
      .filter((ticket) => status === undefined || ticket.status === status)
      .filter((ticket) => ready === undefined || this.#isReady(ticket, nowMs) === ready);
  }

  /** What the reader has not read, and the step of the last of those messages. */
  unread(reader: string): { readonly envelopes: readonly Envelope[]; readonly upTo: number } {
    const after = this.#cursors.get(reader) ?? 0;
    const first = this.#sent.findIndex(({ seq }) => seq > after);
    const later = first === -1 ? [] : this.#sent.slice(first);
    const envelopes = later
      .map(({ envelope }) => envelope)
      .filter(({ to, from }) => to === reader || (to === "*" && from !== reader));
    return { envelopes, upTo: later.at(-1)?.seq ?? after };
  }

  /** The activities of a post, including the tickets it creates. */
  post(drafts: readonly TicketDraft[]): readonly Activity[] {
    const posted = newTickets(drafts, this.#kept.size);
    for (const dep of earlierDeps(posted)) this.#keptOf(dep);
    refuseCircle(
      new Map(posted.map(({ id, deps }) => [id, deps])),
      (id) => this.#kept.get(id)?.ticket.deps ?? [],
    );
    return posted.map((ticket) => ({ kind: "ticket_posted", ticket }));
  }

  nextReady(nowMs: number, { agents, except }: Omit<ClaimOptions, "leaseMs">): Ticket | undefined {
    let next: Ticket | undefined;
    for (const { ticket } of this.#kept.values()) {
      if (next && RANK[ticket.priority] >= RANK[next.priority]) continue;
      if (agents && ticket.agent !== undefined && !agents.includes(ticket.agent)) continue;
      if (except?.includes(ticket.id)) continue;
      if (this.#isReady(ticket, nowMs)) next = ticket;
      if (next?.priority === "high") break;
    }
    return next;
  }

  /** So many of its claims expired without a report that it is not retried. */
  isGivenUp({ id, status }: Ticket): boolean {
    return status === "claimed" && this.#keptOf(id).lapses + 1 >= MAX_LAPSES;
  }

  /** Throws a conflict unless the claim is the ticket's latest and no decision about the ticket has ended it. */
  checkClaim({ id, token }: ClaimKey): void {
    const { ticket, token: last } = this.#keptOf(id);
    if (ticket.status === "claimed" && last === token) return;
    throw overClaim(ticket);
  }

  depend(id: string, on: readonly string[]): readonly Activity[] {
    const { deps } = this.ticket(id);
    const added = on.map((dep) => this.ticket(dep).id);
    const all = [...new Set([...deps, ...added])];
    checkDeps(id, all.length);
    refuseCircle(new Map([[id, all]]), (other) => this.#kept.get(other)?.ticket.deps ?? []);
    return [{ kind: "ticket_depends", id, on: added }];
  }

  #keptOf(id: string): KeptTicket {
    const found = this.#kept.get(id);
    if (found) return found;
    throw noTicket(id);
  }

  #change(id: string, changes: Partial<Ticket>): void {
    const own = this.#keptOf(id);
    own.ticket = { ...own.ticket, ...changes };
  }

  #isReady({ status, leaseUntil = 0, deps }: Ticket, nowMs: number): boolean {
    return (
      (status === "open" || (status === "claimed" && leaseUntil < nowMs)) &&
      deps.every((id) => this.#kept.get(id)?.ticket.status === "done")
    );
  }

  #applyAct(act: Activity, { seq, at, by }: BoardEntry): void {
    switch (act.kind) {
      case "member_spawned":
        this.#members.add(act.member);
        if (!this.#cursors.has(act.member)) this.#cursors.set(act.member, seq);
        return;
      case "ticket_posted":
        this.#kept.set(act.ticket.id, {
          ticket: { ...act.ticket, status: "open", comments: [], postedBy: by, postedAt: at },
          token: 0,
          lapses: 0,
        });
        return;
      case "ticket_claimed": {
        const own = this.#keptOf(act.id);
        if (own.ticket.status === "claimed") own.lapses++;
        this.#change(act.id, {
          ...{ status: "claimed", assignee: act.member },
          ...{ claimedAt: Date.parse(at), leaseUntil: act.leaseUntil },
        });
        own.token = seq;
        return;
      }
      case "ticket_assigned": {
        const own = this.#keptOf(act.id);
        const { agent: _before, ...ticket } = own.ticket;
        own.ticket = { ...ticket, agent: act.agent };
        return;
      }
      case "ticket_renewed":
        this.#change(act.id, { leaseUntil: act.leaseUntil });
        return;
      case "ticket_commented": {
        const { comments } = this.#keptOf(act.id).ticket;
        this.#change(act.id, { comments: [...comments, { by, at, text: act.text }] });
        return;
      }
      case "ticket_depends":
        this.#change(act.id, { deps: [...new Set([...this.#keptOf(act.id).ticket.deps, ...act.on])] });
        return;
      case "message_sent":
        this.#sent.push({ seq, envelope: act.envelope });
        return;
      case "messages_read":
        this.#cursors.set(act.reader, act.upTo);
        return;
      default: {
        const own = this.#keptOf(act.id);
        const { claimedAt: _since, leaseUntil: _ended, ...ticket } = own.ticket;
        const { kind, ...facts } = act;
        const summary = "summary" in facts && facts.summary !== undefined ? { summary: facts.summary } : {};
        const used = "used" in facts && facts.used ? { used: sumOfUse(ticket.used, facts.used) } : {};
        this.#kept.set(act.id, {
          ticket: { ...ticket, status: STATUS_AFTER[kind], ...summary, ...used },
          token: 0,
          lapses: 0,
        });
      }
    }
  }
}

const STATUS_AFTER: Readonly<Record<DecidedKind, Exclude<TicketStatus, "claimed">>> = {
  ticket_released: "open",
  ticket_opened: "open",
  ticket_done: "done",
  ticket_failed: "failed",
  ticket_blocked: "blocked",
};
