// The permission mode of a session: one state. The person switches it by a key, a command or an answer; the model can only begin a plan.
// It is logged, so a session that is continued knows it.

import type { Conductor, Entry, ModeEntry } from "../../conductor/contract.ts";
import { ENTER_PLAN, EXIT_PLAN } from "../../deck/builtins/person-desk.ts";
import {
  PERMISSION_MODES,
  type PermissionMode,
  type StartMode,
  widthOfMode,
} from "../../deck/permissions/modes.ts";
import { heldBack, type ModeLimit } from "./mode-limits.ts";

export interface SessionMode {
  /** As it was chosen; `plan` until a plan is approved. */
  readonly chosen: () => StartMode;
  /** The same, and while a plan is made the mode that follows it. */
  readonly own: () => PermissionMode;
  readonly isPlanning: () => boolean;
  /** Nobody chose it. */
  readonly isDefault: () => boolean;
  /** Why the session cannot be in this mode; undefined if it can. */
  readonly heldBack: (mode: StartMode) => string | undefined;
  /** Switches to it, from the next decision on, unless it is held back: then it returns why. Logged before it has any effect. */
  readonly set: (mode: StartMode, by: ModeEntry["by"]) => string | undefined;
  /** Back to the mode before the plan. */
  readonly endPlan: (by: ModeEntry["by"]) => void;
  /** From now on changes are logged, and what concerns the model is shown to it. */
  readonly join: (conductor: Pick<Conductor, "noteMode" | "notify">) => void;
  /** Goes on as the session with these entries did, if that is not wider; a new one, as the one before it. */
  readonly entered: (entries: readonly Entry[]) => void;
  readonly turn: { readonly begin: () => void; readonly end: () => Promise<undefined> };
}

interface SessionModeFacts {
  /** What flags and settings choose. */
  readonly start: {
    readonly mode: PermissionMode;
    readonly isDefault: boolean;
    readonly startsPlanning: boolean;
    /** A flag chose it, which counts more than what a continued session was in. */
    readonly isByFlag: boolean;
  };
  readonly limits: readonly ModeLimit[];
  /** Tells the person that a continued session is in a narrower mode than before. */
  readonly tell: (line: string) => void;
}

const PLAN_BEGUN = `Plan mode is on: nothing is written, and no command that changes anything runs. Read and search, then propose a plan with ${EXIT_PLAN}.`;
const PLAN_ENDED = "The person ended plan mode without a plan: continue as asked.";

export function createSessionMode({ start, limits, tell }: SessionModeFacts): SessionMode {
  let session: Parameters<SessionMode["join"]>[0] | undefined;
  let own = start.mode;
  let isDefault = start.isDefault;
  let isPlanning = false;
  /** What the log says; undefined if that is what the session was started with. */
  let logged: string | undefined;

  const chosen = (): StartMode => (isPlanning ? "plan" : own);

  function change(next: StartMode, by: ModeEntry["by"]): void {
    if (next === chosen()) return;
    session?.noteMode({ mode: next, by });
    logged = next;
    const wasPlanning = isPlanning;
    isPlanning = next === "plan";
    if (next !== "plan") own = next;
    // The tools of a plan tell the model themselves.
    if (by !== "person" && by !== "start") return;
    if (isPlanning) session?.notify("host", PLAN_BEGUN);
    else if (wasPlanning) session?.notify("host", PLAN_ENDED);
  }

  function begin(): void {
    if (session && start.startsPlanning) change("plan", "start");
  }

  function resume(found: FoundMode): void {
    isPlanning = found.isPlanning;
    logged = found.isPlanning ? "plan" : found.own;
    const { own: then } = found;
    if (then === undefined || then === own || (start.isByFlag && !session)) return;
    const mode = PERMISSION_MODES.find((each) => each === then);
    if (mode !== undefined && widthOfMode(mode) <= widthOfMode(start.mode)) {
      own = mode;
      isDefault = start.isDefault && mode === start.mode;
      return;
    }
    if (widthOfMode(start.mode) < widthOfMode(own)) own = start.mode;
    const why = (mode && heldBack(mode, limits)) ?? "flags and settings do not choose a wider mode";
    tell(`the session was in the permission mode ${then}; it continues in ${own}: ${why}`);
  }

  return {
    chosen,
    own: () => own,
    isPlanning: () => isPlanning,
    isDefault: () => isDefault,
    heldBack: (mode) => heldBack(mode, limits),
    set(mode, by) {
      const why = heldBack(mode, limits);
      if (why !== undefined) return why;
      change(mode, by);
      if (mode !== "plan") isDefault = false;
      return undefined;
    },
    endPlan(by) {
      if (isPlanning) change(own, by);
    },
    join(conductor) {
      session = conductor;
      begin();
    },
    entered(entries) {
      if (entries.length > 0) return resume(modeIn(entries));
      isPlanning = false;
      logged = undefined;
      begin();
    },
    turn: {
      begin() {
        // Nothing is written before the first line.
        if (chosen() === (logged ?? start.mode)) return;
        session?.noteMode({ mode: chosen(), by: "start" });
        logged = chosen();
      },
      end: async () => undefined,
    },
  };
}

interface FoundMode {
  /** As it is written, and anybody could have written it; undefined if it was never switched. */
  readonly own?: string | undefined;
  readonly isPlanning: boolean;
}

/** In logs of earlier versions, entries of the type `plan`, and before them only tool calls, show when a session planned. */
function modeIn(entries: readonly Entry[]): FoundMode {
  let own: string | undefined;
  let isPlanning = false;
  for (const entry of entries) {
    if (entry.type === "plan") isPlanning = entry.isPlanning;
    if (entry.type === "tool" && entry.state === "ok") {
      if (entry.name === ENTER_PLAN) isPlanning = true;
      if (entry.name === EXIT_PLAN) isPlanning = false;
    }
    if (entry.type !== "mode") continue;
    isPlanning = entry.mode === "plan";
    if (!isPlanning) own = entry.mode;
  }
  return { own, isPlanning };
}
