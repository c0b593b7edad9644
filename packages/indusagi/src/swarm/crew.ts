// A crew: members that work through the tickets of a board, round by round. It keeps no state of its own: anybody who opens the
// same board continues where the last crew stopped.

import { Aborted, delay } from "../core/abort.ts";
import { clamp } from "../core/clamp.ts";
import { describeError } from "../core/faults.ts";
import { MAX_SUMMARY_CHARS, MAX_TEXT_BYTES } from "./board-limits.ts";
import {
  type Board,
  BoardError,
  type Claim,
  type ClaimKey,
  type ClaimOptions,
  type Ticket,
  type WorkUse,
} from "./contract.ts";

/** A crew ends after this many rounds, whatever is left. */
export const DEFAULT_MAX_ROUNDS = 64;
/** The recipient of members' results. */
export const COORDINATOR = "coordinator";
/** How long a silent member keeps its ticket, in milliseconds; a working member renews its claim. */
const LEASE_MS = 60_000;
/** A crew that waits for others checks again after this time even if nothing changed: a lease expires without a step. */
const LOOK_MS = 5_000;
/** How long a result is kept while the board does not answer, and the retry interval, in milliseconds. */
const PATIENCE_MS = 600_000;
const RETRY_MS = 1_000;

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
  const triesAgain = (error: unknown): void => onTrouble?.(`${describeError(error)}; trying again`);
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
        triesAgain(error); // tickets claimed before the error are still worked on
        break;
      }
    }
    const ends = await Promise.all(pairs.map(([member, claim]) => workOn(member, claim, signal)));
    return {
      taken: pairs.length,
      completed: ends.filter((status) => status === "done").length,
      failed: ends.filter((status) => status === "failed").length,
    };
  };

  async function workOn(member: MemberDraft, { ticket, token }: Claim, signal: AbortSignal): Promise<string> {
    const key = { id: ticket.id, token };
    tell(member.name, ticket);
    // A refused renewal shows when the ticket is finished.
    const renewal = setInterval(() => void board.renew(key, LEASE_MS).catch(() => undefined), LEASE_MS / 3);
    renewal.unref();
    let result: WorkResult;
    let used: WorkUse | undefined;
    try {
      if (signal.aborted) throw new Aborted();
      result = await work(member, ticket, signal, (all) => {
        used = all;
      });
    } catch (error) {
      if (signal.aborted) {
        await board.release(key, undefined, used).catch(ignoreLost);
        return "released";
      }
      result = { ok: false, summary: describeError(error) };
    } finally {
      clearInterval(renewal);
    }
    const { ok, unable: reason, leaves } = result;
    if (reason !== undefined) {
      ended.add(member.name);
      unable.push({ member: member.name, reason });
      return giveBack(member.name, key, { reason, used }, signal);
    }
    if (leaves !== undefined) {
      except.push(ticket.id);
      return giveBack(member.name, key, { reason: leaves, used }, signal);
    }
    const summary = clamp(result.summary, { kind: "middle", maxBytes: MAX_TEXT_BYTES - 1_024 });
    try {
      const end = await insist(() => board.finish(key, ok ? "done" : "failed", summary, used), signal);
      tell(member.name, end);
    } catch (error) {
      ignoreLost(error); // somebody has decided about the ticket in the meantime, or the board is away
      onTrouble?.(
        `the result of ${member.name} for ${JSON.stringify(ticket.title)} is lost: ${describeError(error)}`,
      );
      return "lost";
    }
    const short = [...summary].slice(0, MAX_SUMMARY_CHARS).join("");
    await board
      .send(member.name, COORDINATOR, {
        type: "result",
        taskId: ticket.id,
        status: ok ? "ok" : "error",
        summary: short,
      })
      .catch(ignoreLost);
    return ok ? "done" : "failed";
  }

  /** Leaves the ticket for another member or a later time: it did not fail. */
  async function giveBack(
    member: string,
    key: ClaimKey,
    { reason, used }: { readonly reason: string; readonly used: WorkUse | undefined },
    signal: AbortSignal,
  ): Promise<string> {
    const short = clamp(reason, { kind: "middle", maxBytes: MAX_TEXT_BYTES - 1_024 });
    try {
      await insist(() => board.release(key, short, used), signal);
      tell(member, await board.get(key.id));
    } catch (error) {
      ignoreLost(error);
    }
    return "released";
  }

  /** A member's work has been paid for, so a board that does not answer is tried again. */
  async function insist<T>(step: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let leftMs = PATIENCE_MS; ; leftMs -= RETRY_MS) {
      try {
        return await step();
      } catch (error) {
        if (!isUnreachable(error) || leftMs <= 0) throw error;
        triesAgain(error);
        await delay(RETRY_MS, signal);
      }
    }
  }

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
        triesAgain(error);
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

function isUnreachable(error: unknown): error is BoardError {
  return error instanceof BoardError && error.kind === "unreachable";
}

function claimOf({ agents }: MemberDraft): ClaimOptions {
  return { leaseMs: LEASE_MS, agents };
}

/** Ignores a lost claim or a board that does not answer: anybody can take the ticket once its lease has expired. */
function ignoreLost(error: unknown): void {
  if (error instanceof Aborted || isUnreachable(error)) return;
  if (!(error instanceof BoardError && error.kind === "conflict")) throw error;
}
