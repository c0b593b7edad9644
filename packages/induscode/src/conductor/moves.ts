// Where a conversation can continue: in a new session, in a fork, in another session, or at an earlier entry of its own.

import type { ConductorDeps, TurnDeps } from "./conductor-deps.ts";
import type { ConductorFault, Entry } from "./contract.ts";
import type { LazyUnwritten } from "./lazy-unwritten.ts";
import { LogError, type OpenedLog } from "./log.ts";
import type { Notes } from "./notes.ts";
import { pendingLines } from "./recall.ts";
import { tellLifecycle } from "./session-hooks.ts";
import { summariseAfter } from "./turns/asked-summary.ts";
import type { BranchSummary } from "./turns/branch-summary.ts";
import { closeOpenCalls } from "./turns/close-open-calls.ts";
import type { PromptText } from "./turns/prompt.ts";
import type { QueuedLines } from "./turns/queued-lines.ts";

export interface MoveDeps extends Pick<ConductorDeps, "nextLog" | "forkLog" | "openLog" | "entered"> {
  readonly turn: TurnDeps;
  readonly notes: Notes;
  readonly lines: QueuedLines;
  readonly prompt: PromptText;
  readonly unwritten: LazyUnwritten;
}

/** All but `jump` take no time. All throw a `LogError` if the session cannot be left, or the other one not be opened. */
export interface Moves {
  readonly renew: () => undefined;
  /** Returns the first line that is left out. */
  readonly fork: (back: number) => { readonly left: string };
  readonly goOn: (id: string) => { readonly entries: readonly Entry[]; readonly told: readonly string[] };
  readonly jump: (to: number, summarise: boolean, signal: AbortSignal) => Promise<ConductorFault | undefined>;
}

export function createMoves(deps: MoveDeps): Moves {
  const { turn, notes, lines, prompt, unwritten } = deps;
  const { record, hooks } = turn;
  return {
    renew() {
      unwritten.writeBeforeLeaving();
      enter({ log: deps.nextLog(), entries: [] });
      return undefined;
    },
    fork(back) {
      if (!notes.hasBegun() || !deps.forkLog) throw new LogError("There is nothing to fork yet");
      secure();
      const { left, ...forked } = deps.forkLog(back);
      enter(forked);
      return { left };
    },
    goOn(id) {
      if (!deps.openLog) throw new LogError("Sessions cannot be switched in this console");
      secure();
      const told: string[] = [];
      const opened = deps.openLog(id, told);
      enter(opened);
      return { entries: opened.entries, told };
    },
    async jump(to, summarise, signal) {
      if (!notes.hasBegun()) return { kind: "config", message: "Nothing has been said yet." };
      const entries = record.entries();
      if (!entries.some(({ n }) => n === to))
        return { kind: "config", message: `This session has no entry ${to}.` };
      const summary: BranchSummary | { readonly fault: ConductorFault } | undefined = summarise
        ? await summariseAfter(turn, to, signal)
        : undefined;
      if (summary && "fault" in summary) return summary.fault;
      if (!summarise) closeOpenCalls(record);
      record.needFormat(2);
      record.append({ type: "jump", to, ...summary });
      record.log().sync();
      deps.entered?.(record.entries());
      return undefined;
    },
  };

  /** All of this session is on the disk before another one is opened. */
  function secure(): void {
    unwritten.writeBeforeLeaving();
    record.log().sync();
  }

  /** Another session takes this one's place; without entries it has yet to begin. */
  function enter({ log, entries, fold }: Pick<OpenedLog, "log" | "entries"> & Partial<OpenedLog>): void {
    void tellLifecycle(hooks, "session:end", record.log().id);
    record.restart(log, fold);
    deps.entered?.(entries);
    unwritten.restart();
    prompt.restart();
    notes.restart(entries.length > 0);
    lines.restart(pendingLines(entries));
    void tellLifecycle(hooks, "session:start", log.id);
  }
}
