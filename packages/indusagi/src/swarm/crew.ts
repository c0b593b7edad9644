// A crew: members that work through the tickets of a board, round by round. It keeps nothing of its own: whoever opens the same
// board goes on where the last one ended.

import { Aborted } from "../core/abort.ts";
import { clamp } from "../core/clamp.ts";
import { describeError } from "../core/faults.ts";
import { MAX_SUMMARY_CHARS, MAX_TEXT_BYTES } from "./board-limits.ts";
import { type Board, BoardError, type Claim, type ClaimOptions, type Ticket } from "./contract.ts";

/** After so many rounds a crew ends, whatever is left (seed 000). */
export const DEFAULT_MAX_ROUNDS = 64;
/** Who is sent what members did. */
export const COORDINATOR = "coordinator";
/** How long a ticket is a member's that is heard of no more, in milliseconds; while it works its claim is renewed. */
const LEASE_MS = 60_000;

/** What a member is when it enrols. */
export interface MemberDraft {
  /** Its role, and its name on the board. */
  readonly name: string;
  /** Takes tickets for these agents, and those for anybody; absent: all. */
  readonly agents?: readonly string[];
}

/** How a member's work on a ticket ended. */
export interface WorkResult {
  readonly ok: boolean;
  readonly summary: string;
}

/** Works on a ticket to its end. Rejects once it has ended where the signal fires; any other rejection is a failed ticket. */
export type MemberWork = (member: MemberDraft, ticket: Ticket, signal: AbortSignal) => Promise<WorkResult>;

export interface CrewFacts {
  readonly id: string;
  readonly board: Board;
  readonly members: readonly MemberDraft[];
  readonly work: MemberWork;
  /** Hears of each ticket that is taken or has ended. */
  readonly onTicket?: (member: string, ticket: Ticket) => void;
}

/** What became of a crew's work (seed 000). */
export interface DelegationReport {
  readonly crewId: string;
  /** Tickets that were done, and that failed, in this run. */
  readonly completed: number;
  readonly failed: number;
  readonly rounds: number;
  /** Tickets that are neither done nor failed. */
  readonly left: number;
  /** Somebody stopped it before it came to its end. */
  readonly isStopped: boolean;
}

export interface RoundReport {
  readonly taken: number;
  readonly completed: number;
  readonly failed: number;
}

export interface Crew {
  /** Puts its members on the board. */
  readonly enrol: () => Promise<void>;
  /** Hands ready tickets to its members, one each, and waits until they have ended. */
  readonly runRound: (signal: AbortSignal) => Promise<RoundReport>;
  /** Rounds until nothing is ready, or the cap is reached. When the signal fires, every ticket under way is given back. */
  readonly run: (signal: AbortSignal, maxRounds?: number) => Promise<DelegationReport>;
}

export function createCrew({ id, board, members, work, onTicket }: CrewFacts): Crew {
  const enrol = async (): Promise<void> => {
    for (const { name } of members) await board.enrol(name);
  };
  const runRound = async (signal: AbortSignal): Promise<RoundReport> => {
    if (signal.aborted) throw new Aborted();
    const pairs: (readonly [MemberDraft, Claim])[] = [];
    for (const member of members) {
      const claim = await board.claim(member.name, claimOf(member));
      if (claim) pairs.push([member, claim]);
    }
    const ended = await Promise.all(pairs.map(([member, claim]) => workOn(member, claim, signal)));
    return {
      taken: pairs.length,
      completed: ended.filter((status) => status === "done").length,
      failed: ended.filter((status) => status === "failed").length,
    };
  };

  async function workOn(member: MemberDraft, { ticket, token }: Claim, signal: AbortSignal): Promise<string> {
    const key = { id: ticket.id, token };
    onTicket?.(member.name, ticket);
    // A renewal that is refused is heard of when the ticket is finished.
    const renewal = setInterval(() => void board.renew(key, LEASE_MS).catch(() => undefined), LEASE_MS / 3);
    renewal.unref();
    let result: WorkResult;
    try {
      if (signal.aborted) throw new Aborted();
      result = await work(member, ticket, signal);
    } catch (error) {
      if (signal.aborted) {
        await board.release(key).catch(ignoreConflict);
        return "released";
      }
      result = { ok: false, summary: describeError(error) };
    } finally {
      clearInterval(renewal);
    }
    const { ok } = result;
    const summary = clamp(result.summary, { kind: "middle", maxBytes: MAX_TEXT_BYTES - 1_024 });
    try {
      const ended = await board.finish(key, ok ? "done" : "failed", summary);
      onTicket?.(member.name, ended);
    } catch (error) {
      ignoreConflict(error); // somebody decided otherwise about it meanwhile
      return "lost";
    }
    const short = [...summary].slice(0, MAX_SUMMARY_CHARS).join("");
    await board.send(member.name, COORDINATOR, {
      type: "result",
      taskId: ticket.id,
      status: ok ? "ok" : "error",
      summary: short,
    });
    return ok ? "done" : "failed";
  }

  return {
    enrol,
    runRound,
    async run(signal, maxRounds = DEFAULT_MAX_ROUNDS) {
      await enrol();
      let [rounds, completed, failed] = [0, 0, 0];
      while (rounds < maxRounds && !signal.aborted) {
        const round = await runRound(signal);
        if (round.taken === 0) break;
        rounds++;
        completed += round.completed;
        failed += round.failed;
      }
      const left = (await board.list()).filter(
        ({ status }) => status !== "done" && status !== "failed",
      ).length;
      return { crewId: id, completed, failed, rounds, left, isStopped: signal.aborted };
    },
  };
}

function claimOf({ agents }: MemberDraft): ClaimOptions {
  return { leaseMs: LEASE_MS, ...(agents === undefined ? {} : { agents }) };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof BoardError && error.kind === "conflict")) throw error;
}
