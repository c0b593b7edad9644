// `induscode/session`: a session in a program, and delegates as the members of a crew.

export type { SubagentProfile } from "../../briefing/contract.ts";
export { Problem } from "../../cli/problem.ts";
export type { StartMode } from "../../deck/permissions/modes.ts";
export {
  type DelegationTask,
  type SubagentCrew,
  toAgentSpec,
  toBlueprint,
  toMemberDraft,
  type WorkedWith,
} from "../../parts/crew/crew.ts";
export {
  createDelegateRunner,
  type DelegateRunner,
  type DelegateRunnerFacts,
} from "../../parts/crew/delegate-runner.ts";
export type {
  BackgroundDelegate,
  DelegateDesk,
  DelegateLimits,
  DelegateReport,
  DelegateState,
  DelegateUse,
  DelegateWork,
} from "../../parts/delegates/delegate-desk.ts";
export type { CommandEnd } from "../../session/run-command.ts";
export { withLock } from "../../store/lock.ts";
export { openIndus } from "./open-for-program.ts";
export type { ProgramCommand, ProgramOptions, ProgramSession, ProgramUi } from "./program-session.ts";
