// `induscode/session`: a session in a program, and delegates as the members of a crew.

export type { SubagentProfile } from "../../briefing/contract.ts";
export { Problem } from "../../cli/problem.ts";
export type { StartMode } from "../../deck/permissions/modes.ts";
export { openIndus, type ProgramOptions, type ProgramSession } from "../../session/open-for-program.ts";
export { withLock } from "../../store/lock.ts";
export type {
  BackgroundDelegate,
  DelegateDesk,
  DelegateLimits,
  DelegateReport,
  DelegateState,
  DelegateUse,
  DelegateWork,
} from "../delegates/delegate-desk.ts";
export {
  type DelegationTask,
  type SubagentCrew,
  toAgentSpec,
  toBlueprint,
  toMemberDraft,
  type WorkedWith,
} from "./crew.ts";
export { createDelegateRunner, type DelegateRunner, type DelegateRunnerFacts } from "./delegate-runner.ts";
