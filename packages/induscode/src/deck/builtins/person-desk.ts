// The person at a session, as seen by its tools, and the names of those tools. The tools themselves are loaded only when somebody is
// there.

import { type SessionKey, sessionKey } from "indusagi/core";

/** Whether a session is planning. */
interface PersonDesk {
  /** Receives a plan that nobody is asked about. */
  readonly propose?: (plan: string) => void;
  /** While true, nothing is written, and nothing that changes something is run. */
  readonly isPlanning: () => boolean;
  readonly setPlanning: (planning: boolean) => void;
}

/** Set in sessions that have it. */
export const PERSON: SessionKey<PersonDesk> = sessionKey("person");

export const ENTER_PLAN = "enter_plan_mode";
export const EXIT_PLAN = "exit_plan_mode";
export const ASK_USER = "ask_user";

/** A session that nobody sits at, or that works for another one, has none of these. */
export const PERSON_TOOLS: readonly string[] = [ENTER_PLAN, EXIT_PLAN, ASK_USER];
