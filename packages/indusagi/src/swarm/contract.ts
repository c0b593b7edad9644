// What several agents work from (seed 000, the half of `swarm`): a board of tickets that depend on each other, a mailbox, and
// what happened, in order. Shapes only. Two boards keep this contract, and one suite of tests holds for both.

/** `claimed`: somebody works on it until the lease ends. `blocked`: nobody is to begin it for now. */
export type TicketStatus = "open" | "claimed" | "blocked" | "done" | "failed";

export type TicketPriority = "low" | "normal" | "high";

export interface TicketComment {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** What work on a ticket took. */
export interface WorkUse {
  /** Model calls. */
  readonly turns: number;
  /** All that models read and wrote. */
  readonly tokens: number;
  /** As far as prices are known. */
  readonly dollars: number;
  readonly durationMs: number;
}

export interface Ticket {
  /** `tkt_…`; later ones sort after earlier ones of the same process. */
  readonly id: string;
  readonly title: string;
  readonly brief: string;
  readonly priority: TicketPriority;
  /** Ids of tickets that must be done before it is ready. One that failed never makes it ready. */
  readonly deps: readonly string[];
  /** Who is to do it: only members that stand for this agent take it. Absent: any. */
  readonly agent?: string;
  readonly status: TicketStatus;
  /** Who has claimed it, or did last. */
  readonly assignee?: string;
  /** While it is claimed: since when, in milliseconds since 1970. */
  readonly claimedAt?: number;
  /** While it is claimed: when the claim ends by itself, in milliseconds since 1970. */
  readonly leaseUntil?: number;
  /** What came of it, or why it failed or is blocked. */
  readonly summary?: string;
  /** What all work on it took so far, as far as whoever did it said so. */
  readonly used?: WorkUse;
  readonly comments: readonly TicketComment[];
  readonly postedBy: string;
  readonly postedAt: string;
}

/** A ticket to be posted. */
export interface TicketDraft {
  /** A name by which other drafts of the same post may depend on it. */
  readonly key?: string;
  readonly title: string;
  readonly brief?: string;
  /** Default `normal`. */
  readonly priority?: TicketPriority;
  /** Ids of tickets that are on the board, or keys of the same post. */
  readonly deps?: readonly string[];
  /** Who is to do it; absent: any member. */
  readonly agent?: string;
}

/** A claim: whoever finishes, renews or releases the ticket shows its token; it is worth nothing once another has claimed. */
export interface Claim {
  readonly ticket: Ticket;
  readonly token: number;
}

/** What members write to each other. `to` is a member's name, or `*` for everybody but the sender. */
export type EnvelopeBody =
  | {
      readonly type: "task";
      readonly title: string;
      readonly brief: string;
      readonly ticketId?: string;
      readonly priority?: TicketPriority;
    }
  | {
      readonly type: "result";
      readonly taskId: string;
      readonly status: "ok" | "error" | "skipped";
      readonly summary: string;
      readonly artifacts?: readonly string[];
    }
  | { readonly type: "note"; readonly text: string }
  | {
      readonly type: "control";
      readonly signal: "pause" | "resume" | "drain" | "shutdown";
      readonly reason?: string;
    };

export type Envelope = EnvelopeBody & {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** ISO 8601. */
  readonly ts: string;
};

/** One thing that happened on a board. */
export type Activity =
  | { readonly kind: "member_spawned"; readonly member: string }
  | {
      readonly kind: "ticket_posted";
      readonly ticket: Omit<Ticket, "status" | "comments" | "postedBy" | "postedAt">;
    }
  | {
      readonly kind: "ticket_claimed";
      readonly id: string;
      readonly member: string;
      readonly leaseUntil: number;
    }
  | { readonly kind: "ticket_renewed"; readonly id: string; readonly leaseUntil: number }
  | {
      readonly kind: "ticket_released";
      readonly id: string;
      readonly summary?: string;
      readonly used?: WorkUse;
    }
  | {
      readonly kind: "ticket_done" | "ticket_failed" | "ticket_blocked" | "ticket_opened";
      readonly id: string;
      readonly summary?: string;
      /** Of this work on it alone. */
      readonly used?: WorkUse;
    }
  | { readonly kind: "ticket_commented"; readonly id: string; readonly text: string }
  | { readonly kind: "ticket_depends"; readonly id: string; readonly on: readonly string[] }
  | { readonly kind: "ticket_assigned"; readonly id: string; readonly agent?: string }
  | { readonly kind: "message_sent"; readonly envelope: Envelope }
  | { readonly kind: "messages_read"; readonly reader: string; readonly upTo: number };

/** What was done in one step, whole or not at all. */
export interface BoardEntry {
  /** 1 for the first step on a board, without a gap. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
  readonly acts: readonly Activity[];
}

export type BoardFaultKind =
  | "lock_timeout"
  | "validation"
  | "not_found"
  | "conflict"
  | "damaged"
  /** The board's server did not answer, or refused; or its disk is full. */
  | "unreachable";

/** Why a board refused. The message names the thing, what was expected and what was found. */
export class BoardError extends Error {
  readonly kind: BoardFaultKind;

  constructor(kind: BoardFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BoardError";
    this.kind = kind;
  }
}

export interface TicketFilter {
  readonly status?: TicketStatus;
  /** True: open, or claimed by a claim that has ended, with every dependency done. */
  readonly ready?: boolean;
}

export interface ClaimOptions {
  readonly leaseMs: number;
  /** Takes tickets for these agents, and those for anybody. Absent: all. */
  readonly agents?: readonly string[];
}

/** Each method rejects with a `BoardError`; a step that is refused changes nothing. `by` is who does it. */
export interface Board {
  /** `isFirst`: a conflict where the board has tickets already. */
  readonly post: (
    by: string,
    drafts: readonly TicketDraft[],
    options?: { readonly isFirst?: boolean },
  ) => Promise<readonly Ticket[]>;
  /** In the order in which they were posted. */
  readonly list: (filter?: TicketFilter) => Promise<readonly Ticket[]>;
  readonly get: (id: string) => Promise<Ticket>;
  /**
   * Takes the next ticket that is ready: higher priority first, then the older. Undefined where none is. One that was claimed
   * again and again, and never finished, has failed.
   */
  readonly claim: (member: string, options: ClaimOptions) => Promise<Claim | undefined>;
  readonly renew: (claim: ClaimKey, leaseMs: number) => Promise<void>;
  readonly finish: (
    claim: ClaimKey,
    status: "done" | "failed",
    summary: string,
    used?: WorkUse,
  ) => Promise<Ticket>;
  /** Gives it back, for anybody to take; why is its summary until somebody finishes it. */
  readonly release: (claim: ClaimKey, reason?: string, used?: WorkUse) => Promise<void>;
  /** A person's, or a model's, own decision about a ticket, whoever works on it: that claim is worth nothing then. */
  readonly move: (
    by: string,
    id: string,
    to: Exclude<TicketStatus, "claimed">,
    reason?: string,
  ) => Promise<Ticket>;
  readonly comment: (by: string, id: string, text: string) => Promise<Ticket>;
  /** Adds dependencies; one that would close a circle is a conflict. */
  readonly depend: (by: string, id: string, on: readonly string[]) => Promise<Ticket>;
  /** Says who is to do it; without an agent, anybody. */
  readonly assign: (by: string, id: string, agent?: string) => Promise<Ticket>;
  /** From now on the member is sent what is for everybody; what was sent before is not for it. */
  readonly enrol: (member: string) => Promise<void>;
  readonly send: (from: string, to: string, body: EnvelopeBody) => Promise<Envelope>;
  /** What the reader has not polled yet, oldest first; each is answered to one poll only. */
  readonly poll: (reader: string) => Promise<readonly Envelope[]>;
  /** What happened after this step, at most so many steps. */
  readonly activity: (options?: {
    readonly after?: number;
    readonly max?: number;
  }) => Promise<readonly BoardEntry[]>;
  /** The number of the last step, as soon as it is above `after`, and at the latest after `maxMs`. */
  readonly changed: (after: number, options: WaitOptions) => Promise<number>;
  /** Lets go of what it holds; nothing is asked of it afterwards. */
  readonly close: () => Promise<void>;
}

export interface WaitOptions {
  readonly maxMs: number;
  /** Rejects with `Aborted` when it fires. */
  readonly signal: AbortSignal;
}

export type ClaimKey = { readonly id: string; readonly token: number };
