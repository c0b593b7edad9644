// The person at a session, as seen by its tools, and the names of those tools. The tools themselves are loaded only when somebody is
// there.

import { type SessionKey, sessionKey } from "indusagi/core";
import type { StartMode } from "../permissions/modes.ts";

/** The plan of a session. */
interface PersonDesk {
  /** Receives a plan that nobody is asked about. */
  readonly propose?: (plan: string) => void;
  /** While true, nothing is written, and nothing that changes something is run. */
  readonly isPlanning: () => boolean;
  readonly beginPlan: () => void;
  /** How the session can go on once the plan is approved, in the person's words; the first as before the plan, if it differs. */
  readonly waysOn: () => readonly WayOn[];
  /** Ends the plan. `way`: as the person chose; absent: as before the plan. */
  readonly endPlan: (way?: WayOn) => void;
}

/** A permission mode to go on in. */
export interface WayOn {
  readonly label: string;
  readonly mode: StartMode;
}

/** Set in sessions that have it. */
export const PERSON: SessionKey<PersonDesk> = sessionKey("person");

export const ENTER_PLAN = "enter_plan_mode";
export const EXIT_PLAN = "exit_plan_mode";
export const ASK_USER = "ask_user";

/** A session that nobody sits at, or that works for another one, has none of these. */
export const PERSON_TOOLS: readonly string[] = [ENTER_PLAN, EXIT_PLAN, ASK_USER];
