// Whether a session is planning, and who changes that: the model with its tools, the person with /plan, the start with a flag. It is
// logged, so a session that is continued knows it.

import type { Conductor, Entry } from "../conductor/contract.ts";
import { ENTER_PLAN, EXIT_PLAN } from "../deck/builtins/person-desk.ts";

export interface PlanState {
  readonly isPlanning: () => boolean;
  /** For the model's tools, which report the change themselves. */
  readonly set: (isPlanning: boolean) => void;
  /** From now on changes are logged, and shown to the model. */
  readonly join: (conductor: Pick<Conductor, "notePlanning" | "notify">) => void;
  /** Plans as the session with these entries did; a new one, as the first one did. */
  readonly entered: (entries: readonly Entry[]) => void;
  /** The reply to `/plan`. */
  readonly command: (words: string) => string;
}

const BEGUN = `Plan mode is on: nothing is written, and no command that changes anything runs. Read and search, then propose a plan with ${EXIT_PLAN}.`;

export function createPlanState(startsPlanning: boolean): PlanState {
  let session: Parameters<PlanState["join"]>[0] | undefined;
  let planning = false;
  const set = (next: boolean): void => {
    if (next !== planning) session?.notePlanning(next);
    planning = next;
  };
  const change = (next: boolean, text: string): void => {
    set(next);
    session?.notify("host", text);
  };
  const begin = (): void => {
    if (session && startsPlanning && !planning) change(true, BEGUN);
  };
  return {
    isPlanning: () => planning,
    set,
    entered(entries) {
      planning = wasPlanning(entries);
      if (entries.length === 0) begin();
    },
    join(conductor) {
      session = conductor;
      begin();
    },
    command(words) {
      if (words !== "" && words !== "off") return "Usage: /plan, or /plan off.";
      const next = words === "";
      if (next === planning)
        return next ? "Plan mode is already on; /plan off ends it." : "Plan mode is not on.";
      change(next, next ? BEGUN : "The person ended plan mode without a plan: continue as asked.");
      return next
        ? "Nothing is changed until you approve a plan. /plan off ends plan mode."
        : "Plan mode is off: the permission mode applies again.";
    },
  };
}

/** In logs of earlier versions, only tool calls show it. */
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
