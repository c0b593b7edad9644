// A crew: members that work through the tickets of a board, round by round. It keeps no state of its own: anybody who opens the
// same board continues where the last crew stopped.

import { Aborted, delay } from "../core/abort.ts";
import type { Board, Claim, ClaimOptions, Ticket } from "./contract.ts";
import {
  COORDINATOR,
  isUnreachable,
  LEASE_MS,
  type MemberDraft,
  type MemberWork,
  RETRY_MS,
  TicketWork,
  triesAgain,
} from "./ticket-work.ts";

/** A crew ends after this many rounds, whatever is left. */
export const DEFAULT_MAX_ROUNDS = 64;
/** A crew that waits for others checks again after this time even if nothing changed: a lease expires without a step. */
const LOOK_MS = 5_000;

export interface CrewFacts {
  readonly id: string;
  readonly board: Board;
  readonly members: readonly MemberDraft[];
  readonly work: MemberWork;
  /** Called for each ticket that is taken or has ended. */
  readonly onTicket?: (member: string, ticket: Ticket) => void;
  /** Called when the board does not answer, at each attempt, and when it does not take a member's result. */
  readonly onTrouble?: (message: string) => void;
}

export interface RunOptions {
  readonly maxRounds?: number;
  /**
   * `idle`: ends when nothing is ready for its members. `all`: also waits while others work, and reports their results
   * (`onTicket`). `drained`: waits for more work until a message tells its members to end.
   */
  readonly until?: "idle" | "all" | "drained";
  /** For `all`: tickets as they were before, which are not reported again. */
  readonly known?: readonly Ticket[];
}

/** The result of a crew's work. */
export interface DelegationReport {
  readonly crewId: string;
  /** Tickets completed in this run; the next field counts those that failed. */
  readonly completed: number;
  readonly failed: number;
  readonly rounds: number;
  /** Tickets that are neither done nor failed. */
  readonly left: number;
  /** It was stopped before it finished. */
  readonly isStopped: boolean;
  /** Members that could not do any ticket. */
  readonly unable: readonly UnableMember[];
}

export interface UnableMember {
  readonly member: string;
  readonly reason: string;
}

export interface RoundReport {
  readonly taken: number;
  readonly completed: number;
  readonly failed: number;
}

export interface Crew {
  /** Enrols its members on the board. */
  readonly enrol: () => Promise<void>;
  /** Gives each member one ready ticket, if there is one, and waits until all of them have ended. */
  readonly runRound: (signal: AbortSignal) => Promise<RoundReport>;
  /** Runs rounds until the end or the maximum. When the signal fires, every ticket in progress is given back. */
  readonly run: (signal: AbortSignal, options?: RunOptions) => Promise<DelegationReport>;
}

export function createCrew({ id, board, members, work, onTicket, onTrouble }: CrewFacts): Crew {
  const paused = new Set<string>();
  const ended = new Set<string>();
  const unable: UnableMember[] = [];
  /** Ids of tickets. */
  const except: string[] = [];
  const heard = new Set<string>();
  const tell = (member: string, ticket: Ticket): void => {
    heard.add(stateOf(ticket));
    onTicket?.(member, ticket);
  };
  const ticketWork = new TicketWork(board, work, {
    onTicket: tell,
    onUnable(member, reason) {
      ended.add(member);
      unable.push({ member, reason });
    },
    onLeft: (ticket) => void except.push(ticket),
    onTrouble: (message) => onTrouble?.(message),
  });
  const enrol = async (): Promise<void> => {
    for (const { name } of members) await board.enrol(name);
  };
  const runRound = async (signal: AbortSignal): Promise<RoundReport> => {
    if (signal.aborted) throw new Aborted();
    const pairs: (readonly [MemberDraft, Claim])[] = [];
    for (const member of members) {
      if (paused.has(member.name) || ended.has(member.name)) continue;
      try {
        const claim = await board.claim(member.name, { ...claimOf(member), except });
        if (claim) pairs.push([member, claim]);
      } catch (error) {
        if (pairs.length === 0) throw error;
        onTrouble?.(triesAgain(error)); // tickets claimed before the error are still worked on
        break;
      }
    }
    const ends = await Promise.all(pairs.map(([member, claim]) => ticketWork.run(member, claim, signal)));
    return {
      taken: pairs.length,
      completed: ends.filter((status) => status === "done").length,
      failed: ends.filter((status) => status === "failed").length,
    };
  };

  /** Carries out the control messages to its members. */
  async function obey(): Promise<void> {
    for (const { name } of members)
      for (const message of await board.poll(name)) {
        if (message.type !== "control") continue;
        if (message.signal === "pause") paused.add(name);
        else if (message.signal === "resume") paused.delete(name);
        else ended.add(name);
      }
  }

  /** Reports other members' results as soon as they arrive. */
  async function hear(): Promise<void> {
    const own = new Set(members.map(({ name }) => name));
    for (const { type, from, ...result } of await board.poll(COORDINATOR))
      if (type === "result" && "taskId" in result && !own.has(from))
        tell(from, await board.get(result.taskId));
  }

  async function run(signal: AbortSignal, options: RunOptions): Promise<DelegationReport> {
    const { maxRounds = DEFAULT_MAX_ROUNDS, until = "idle", known = [] } = options;
    for (const ticket of known) heard.add(stateOf(ticket));
    let [rounds, completed, failed] = [0, 0, 0];
    let isEnrolled = false;
    while (rounds < maxRounds && !signal.aborted) {
      try {
        if (!isEnrolled) await enrol();
        isEnrolled = true;
        const seen = until === "idle" ? 0 : await board.changed(0, { maxMs: 0, signal });
        if (until === "drained") await obey();
        if (ended.size === members.length && members.length > 0) break;
        const round = await runRound(signal);
        if (until === "all") await hear();
        completed += round.completed;
        failed += round.failed;
        if (round.taken > 0) rounds++;
        else if (
          until === "drained" ||
          (until === "all" && (await board.list({ status: "claimed" })).length > 0)
        )
          await board.changed(seen, { maxMs: LOOK_MS, signal });
        else break;
      } catch (error) {
        if (signal.aborted) break;
        if (until === "idle" || !isUnreachable(error)) throw error;
        onTrouble?.(triesAgain(error));
        await delay(RETRY_MS, signal).catch(() => undefined);
      }
    }
    const all = await board.list();
    // This run can end between the end of another member's ticket and the message about it.
    if (until === "all")
      for (const ticket of all.filter((each) => isOver(each) && !heard.has(stateOf(each))))
        tell(ticket.assignee ?? COORDINATOR, ticket);
    const left = all.filter((each) => !isOver(each)).length;
    return { crewId: id, completed, failed, rounds, left, isStopped: signal.aborted, unable };
  }

  return { enrol, runRound, run: (signal, options = {}) => run(signal, options) };
}

function isOver({ status }: Ticket): boolean {
  return status === "done" || status === "failed";
}

function stateOf({ id, status }: Ticket): string {
  return `${id} ${status}`;
}

function claimOf({ agents }: MemberDraft): ClaimOptions {
  return { leaseMs: LEASE_MS, agents };
}
