// A member's work on one ticket, from the claim to the report: whatever happens, the board learns how it ended.

import { Aborted, delay } from "../core/abort.ts";
import { clamp } from "../core/clamp.ts";
import { describeError } from "../core/faults.ts";
import { MAX_SUMMARY_CHARS, MAX_TEXT_BYTES } from "./board-limits.ts";
import { type Board, BoardError, type Claim, type ClaimKey, type Ticket, type WorkUse } from "./contract.ts";

/** The recipient of members' results. */
export const COORDINATOR = "coordinator";
/** How long a silent member keeps its ticket, in milliseconds; a working member renews its claim. */
export const LEASE_MS = 60_000;
/** How long a result is kept while the board does not answer, and the retry interval, in milliseconds. */
const PATIENCE_MS = 600_000;
export const RETRY_MS = 1_000;

/** A member as it enrols. */
export interface MemberDraft {
  /** Its role, which is also its name on the board. */
  readonly name: string;
  /** Takes tickets for these agents and those for anybody; absent: all. */
  readonly agents?: readonly string[];
}

/** How a member's work on a ticket ended. */
export interface WorkResult {
  readonly ok: boolean;
  readonly summary: string;
  /** Why the member cannot do any ticket: this one is given back, and the member takes no more. */
  readonly unable?: string;
  /** Why nobody here can do this ticket now: it is given back, and this crew leaves it alone. */
  readonly leaves?: string;
}

/**
 * Works on a ticket to its end. When the signal fires it rejects, once the work has stopped; any other rejection fails the
 * ticket. It can report what it used through `took` before it ends, in whatever way it ends.
 */
export type MemberWork = (
  member: MemberDraft,
  ticket: Ticket,
  signal: AbortSignal,
  took: (used: WorkUse) => void,
) => Promise<WorkResult>;

/** What a crew hears of its members' work. */
interface WorkEvents {
  /** The ticket is taken, or has ended. */
  readonly onTicket: (member: string, ticket: Ticket) => void;
  /** The member takes no more tickets. */
  readonly onUnable: (member: string, reason: string) => void;
  /** This crew leaves the ticket alone. */
  readonly onLeft: (id: string) => void;
  /** The board does not answer, at each attempt, or does not take a result. */
  readonly onTrouble: (message: string) => void;
}

/** `lost`: the board did not take the result. */
type WorkEnd = "done" | "failed" | "released" | "lost";

export class TicketWork {
  readonly #board: Board;
  readonly #work: MemberWork;
  readonly #events: WorkEvents;

  constructor(board: Board, work: MemberWork, events: WorkEvents) {
    this.#board = board;
    this.#work = work;
    this.#events = events;
  }

  async run(member: MemberDraft, { ticket, token }: Claim, signal: AbortSignal): Promise<WorkEnd> {
    const { name } = member;
    const key = { id: ticket.id, token };
    this.#events.onTicket(name, ticket);
    const { result, used } = await this.#result(member, ticket, key, signal);
    if (result === undefined) {
      await this.#board.release(key, undefined, used).catch(ignoreLost);
      return "released";
    }
    const { unable, leaves } = result;
    if (unable !== undefined) this.#events.onUnable(name, unable);
    else if (leaves !== undefined) this.#events.onLeft(ticket.id);
    const reason = unable ?? leaves;
    if (reason !== undefined) return this.#giveBack(name, key, { reason, used }, signal);
    return this.#finish(name, ticket, key, { result, used }, signal);
  }

  /** Without a result if the work was stopped. */
  async #result(
    member: MemberDraft,
    ticket: Ticket,
    key: ClaimKey,
    signal: AbortSignal,
  ): Promise<{ readonly result?: WorkResult; readonly used: WorkUse | undefined }> {
    // A refused renewal shows when the ticket is finished.
    const renewal = setInterval(
      () => void this.#board.renew(key, LEASE_MS).catch(() => undefined),
      LEASE_MS / 3,
    );
    renewal.unref();
    let used: WorkUse | undefined;
    try {
      if (signal.aborted) throw new Aborted();
      const result = await this.#work(member, ticket, signal, (all) => {
        used = all;
      });
      return { result, used };
    } catch (error) {
      if (signal.aborted) return { used };
      return { result: { ok: false, summary: describeError(error) }, used };
    } finally {
      clearInterval(renewal);
    }
  }

  async #finish(
    member: string,
    ticket: Ticket,
    key: ClaimKey,
    { result, used }: { readonly result: WorkResult; readonly used: WorkUse | undefined },
    signal: AbortSignal,
  ): Promise<WorkEnd> {
    const status = result.ok ? "done" : "failed";
    const summary = clamp(result.summary, { kind: "middle", maxBytes: MAX_TEXT_BYTES - 1_024 });
    try {
      const end = await this.#insist(() => this.#board.finish(key, status, summary, used), signal);
      this.#events.onTicket(member, end);
    } catch (error) {
      ignoreLost(error); // somebody has decided about the ticket in the meantime, or the board is away
      this.#events.onTrouble(
        `the result of ${member} for ${JSON.stringify(ticket.title)} is lost: ${describeError(error)}`,
      );
      return "lost";
    }
    const short = [...summary].slice(0, MAX_SUMMARY_CHARS).join("");
    await this.#board
      .send(member, COORDINATOR, {
        type: "result",
        taskId: ticket.id,
        status: result.ok ? "ok" : "error",
        summary: short,
      })
      .catch(ignoreLost);
    return status;
  }

  /** Leaves the ticket for another member or a later time: it did not fail. */
  async #giveBack(
    member: string,
    key: ClaimKey,
    { reason, used }: { readonly reason: string; readonly used: WorkUse | undefined },
    signal: AbortSignal,
  ): Promise<WorkEnd> {
    const short = clamp(reason, { kind: "middle", maxBytes: MAX_TEXT_BYTES - 1_024 });
    try {
      await this.#insist(() => this.#board.release(key, short, used), signal);
      this.#events.onTicket(member, await this.#board.get(key.id));
    } catch (error) {
      ignoreLost(error);
    }
    return "released";
  }

  /** A member's work has been paid for, so a board that does not answer is tried again. */
  async #insist<T>(step: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let leftMs = PATIENCE_MS; ; leftMs -= RETRY_MS) {
      try {
        return await step();
      } catch (error) {
        if (!isUnreachable(error) || leftMs <= 0) throw error;
        this.#events.onTrouble(triesAgain(error));
        await delay(RETRY_MS, signal);
      }
    }
  }
}

export function triesAgain(error: unknown): string {
  return `${describeError(error)}; trying again`;
}

export function isUnreachable(error: unknown): error is BoardError {
  return error instanceof BoardError && error.kind === "unreachable";
}

/** Ignores a lost claim or a board that does not answer: anybody can take the ticket once its lease has expired. */
function ignoreLost(error: unknown): void {
  if (error instanceof Aborted || isUnreachable(error)) return;
  if (!(error instanceof BoardError && error.kind === "conflict")) throw error;
}
