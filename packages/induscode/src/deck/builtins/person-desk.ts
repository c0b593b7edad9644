// The person at a session, as its tools find them, and the names of those tools. The tools themselves are loaded where somebody is there.

import { type SessionKey, sessionKey } from "indusagi/core";
import type { SessionUi } from "../../feature/contract.ts";

/** The person at a session, and whether it plans. */
interface PersonDesk {
  /** Absent where nobody can answer: a plan is what the task ends with then. */
  readonly ui?: Pick<SessionUi, "render" | "ask">;
  /** Hears of a plan that nobody is asked about. */
  readonly propose?: (plan: string) => void;
  /** While it is true nothing is written, and nothing is run that changes something. */
  readonly isPlanning: () => boolean;
  readonly setPlanning: (planning: boolean) => void;
}

/** Where a session has it. */
export const PERSON: SessionKey<PersonDesk> = sessionKey("person");

export const ENTER_PLAN = "enter_plan_mode";
export const EXIT_PLAN = "exit_plan_mode";
export const ASK_USER = "ask_user";

/** Of a session that nobody sits at, or that works for another one, it has none of these. */
export const PERSON_TOOLS: readonly string[] = [ENTER_PLAN, EXIT_PLAN, ASK_USER];
