// What several agents work from: a board of tickets that depend on each other, a mailbox, and what
// happened, in order. Types only. Two boards implement this contract, and one test suite covers both.

import { isErrorOf } from "../core/copies.ts";

/** `claimed`: somebody works on it until the lease ends. `blocked`: nobody is to start it for now. */
export type TicketStatus = "open" | "claimed" | "blocked" | "done" | "failed";

export type TicketPriority = "low" | "normal" | "high";

export interface TicketComment {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** What work on a ticket used. */
export interface WorkUse {
  /** Model calls. */
  readonly turns: number;
  /** All tokens that models read and wrote. */
  readonly tokens: number;
  /** As far as prices are known. */
  readonly dollars: number;
  readonly durationMs: number;
}

export interface Ticket {
  /** `tkt_…`; within one process, later ids sort after earlier ones. */
  readonly id: string;
  readonly title: string;
  readonly brief: string;
  readonly priority: TicketPriority;
  /** Ids of tickets that must be done before this one is ready. It never becomes ready if one of them failed. */
  readonly deps: readonly string[];
  /** The agent to do it: only members acting as this agent take it. Absent: any. */
  readonly agent?: string | undefined;
  readonly status: TicketStatus;
  /** The member that has claimed it, or was the last to do so. */
  readonly assignee?: string | undefined;
  /** While claimed: since when, in milliseconds since 1970. */
  readonly claimedAt?: number | undefined;
  /** While claimed: when the lease ends, in milliseconds since 1970. */
  readonly leaseUntil?: number | undefined;
  /** The result, or why it failed or is blocked. */
  readonly summary?: string | undefined;
  /** What all work on it has used so far, as far as members reported it. */
  readonly used?: WorkUse | undefined;
  readonly comments: readonly TicketComment[];
  readonly postedBy: string;
  readonly postedAt: string;
}

/** A ticket to post. */
export interface TicketDraft {
  /** A name that other drafts in the same post can use to depend on it. */
  readonly key?: string;
  readonly title: string;
  readonly brief?: string | undefined;
  /** Default `normal`. */
  readonly priority?: TicketPriority | undefined;
  /** Ids of tickets on the board, or keys from the same post. */
  readonly deps?: readonly string[] | undefined;
  /** The agent to do it; absent: any member. */
  readonly agent?: string | undefined;
}

/** A claim. Finishing, renewing or releasing the ticket requires its token, which becomes invalid when somebody else claims. */
export interface Claim {
  readonly ticket: Ticket;
  readonly token: number;
}

/** Messages between members. `to` is a member's name, or `*` for everybody except the sender. */
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
      readonly summary?: string | undefined;
      readonly used?: WorkUse | undefined;
    }
  | {
      readonly kind: "ticket_done" | "ticket_failed" | "ticket_blocked" | "ticket_opened";
      readonly id: string;
      readonly summary?: string | undefined;
      /** For this piece of work alone. */
      readonly used?: WorkUse | undefined;
    }
  | { readonly kind: "ticket_commented"; readonly id: string; readonly text: string }
  | { readonly kind: "ticket_depends"; readonly id: string; readonly on: readonly string[] }
  | { readonly kind: "ticket_assigned"; readonly id: string; readonly agent?: string | undefined }
  | { readonly kind: "message_sent"; readonly envelope: Envelope }
  | { readonly kind: "messages_read"; readonly reader: string; readonly upTo: number };

/** What happened in one step, applied completely or not at all. */
export interface BoardEntry {
  /** 1 for the first step on a board, with no gaps. */
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
  /** The board's server did not answer or refused, or its disk is full. */
  | "unreachable";

/** Why a board refused. The message names the subject, what was expected and what was found. */
export class BoardError extends Error {
  readonly kind: BoardFaultKind;

  constructor(kind: BoardFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BoardError";
    this.kind = kind;
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that was asked about, which may extend this one
    return isErrorOf(this, BoardError, "BoardError", error);
  }
}

export interface TicketFilter {
  readonly status?: TicketStatus;
  /** True: open, or claimed with an expired lease, and every dependency done. */
  readonly ready?: boolean;
}

export interface ClaimOptions {
  readonly leaseMs: number;
  /** Takes tickets for these agents and those for anybody. Absent: all. */
  readonly agents?: readonly string[] | undefined;
  /** Ids of tickets that it does not take. */
  readonly except?: readonly string[];
}

/** Each method rejects with a `BoardError`; a refused step changes nothing. `by` is who performs it. */
export interface Board {
  /** `isFirst`: a conflict if the board already has tickets. */
  readonly post: (
    by: string,
    drafts: readonly TicketDraft[],
    options?: { readonly isFirst?: boolean },
  ) => Promise<readonly Ticket[]>;
  /** In the order they were posted. */
  readonly list: (filter?: TicketFilter) => Promise<readonly Ticket[]>;
  readonly get: (id: string) => Promise<Ticket>;
  /**
   * Takes the next ready ticket: higher priority first, then older. Undefined if there is none. A ticket claimed again and
   * again without being finished has failed.
   */
  readonly claim: (member: string, options: ClaimOptions) => Promise<Claim | undefined>;
  readonly renew: (claim: ClaimKey, leaseMs: number) => Promise<void>;
  readonly finish: (
    claim: ClaimKey,
    status: "done" | "failed",
    summary: string,
    used?: WorkUse,
  ) => Promise<Ticket>;
  /** Returns the ticket for anybody to take; the reason is its summary until somebody finishes it. */
  readonly release: (claim: ClaimKey, reason?: string, used?: WorkUse) => Promise<void>;
  /** A decision by a person or a model about a ticket, whoever is working on it: their claim becomes invalid. */
  readonly move: (
    by: string,
    id: string,
    to: Exclude<TicketStatus, "claimed">,
    reason?: string,
  ) => Promise<Ticket>;
  readonly comment: (by: string, id: string, text: string) => Promise<Ticket>;
  /** Adds dependencies; one that would create a cycle is a conflict. */
  readonly depend: (by: string, id: string, on: readonly string[]) => Promise<Ticket>;
  /** Sets the agent to do it; without an agent, anybody. */
  readonly assign: (by: string, id: string, agent?: string) => Promise<Ticket>;
  /** From now on the member receives messages to everybody; earlier ones are not delivered to it. */
  readonly enrol: (member: string) => Promise<void>;
  readonly send: (from: string, to: string, body: EnvelopeBody) => Promise<Envelope>;
  /** What the reader has not polled yet, oldest first; each message is returned by one poll only. */
  readonly poll: (reader: string) => Promise<readonly Envelope[]>;
  /** What happened after this step, limited to a number of steps. */
  readonly activity: (options?: {
    readonly after?: number;
    readonly max?: number;
  }) => Promise<readonly BoardEntry[]>;
  /** The number of the last step: as soon as it exceeds `after`, or after `maxMs` at the latest. */
  readonly changed: (after: number, options: WaitOptions) => Promise<number>;
  /** Releases what it holds; the board is not used afterwards. */
  readonly close: () => Promise<void>;
}

export interface WaitOptions {
  readonly maxMs: number;
  /** Rejects with `Aborted` when it fires. */
  readonly signal: AbortSignal;
}

export type ClaimKey = { readonly id: string; readonly token: number };
