// Whether a session plans, and who changes that: the model by its tools, the person by /plan, the start by a flag. It is in the log, so a
// session that goes on knows it.

import type { Conductor, Entry } from "../conductor/contract.ts";
import { ENTER_PLAN, EXIT_PLAN } from "../deck/builtins/person-desk.ts";

export interface PlanState {
  readonly isPlanning: () => boolean;
  /** By the model's tools, which say so themselves. */
  readonly set: (isPlanning: boolean) => void;
  /** From now on changes are logged, and shown to the model. */
  readonly join: (conductor: Pick<Conductor, "notePlanning" | "notify">) => void;
  /** Another session goes on. */
  readonly goOn: (entries: readonly Entry[]) => void;
  /** A new session begins as the first one did. */
  readonly restart: () => void;
  /** What `/plan` answers. */
  readonly command: (words: string) => string;
}

const BEGUN = `Plan mode is on: nothing is written, and no command runs that changes something. Read and search, then propose what to do with ${EXIT_PLAN}.`;

export function createPlanState(entries: readonly Entry[], startsPlanning: boolean): PlanState {
  let session: Parameters<PlanState["join"]>[0] | undefined;
  let planning = wasPlanning(entries);
  const set = (next: boolean): void => {
    if (next !== planning) session?.notePlanning(next);
    planning = next;
  };
  const change = (next: boolean, text: string): void => {
    set(next);
    session?.notify("host", text);
  };
  const begin = (): void => {
    if (startsPlanning && !planning) change(true, BEGUN);
  };
  return {
    isPlanning: () => planning,
    set,
    goOn(held) {
      planning = wasPlanning(held);
    },
    join(conductor) {
      session = conductor;
      begin();
    },
    restart() {
      planning = false;
      begin();
    },
    command(words) {
      if (words !== "" && words !== "off") return "Write: /plan, or /plan off.";
      const next = words === "";
      if (next === planning)
        return next ? "A plan is being made; /plan off ends that." : "No plan is being made.";
      change(next, next ? BEGUN : "The person ended plan mode without a plan: go on as asked.");
      return next
        ? "Nothing is changed until you agree to a plan. /plan off ends that."
        : "Plan mode is off: the permission mode decides again.";
    },
  };
}

/** Logs of earlier versions tell it by the tools alone. */
function wasPlanning(entries: readonly Entry[]): boolean {
  for (const entry of entries.toReversed()) {
    if (entry.type === "plan") return entry.isPlanning;
    if (
      entry.type === "tool" &&
      entry.state === "ok" &&
      (entry.name === ENTER_PLAN || entry.name === EXIT_PLAN)
    )
      return entry.name === ENTER_PLAN;
  }
  return false;
}
