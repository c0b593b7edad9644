// `induscode/session`: delegates as the members of a crew, for programs.

export type { SubagentProfile } from "../briefing/contract.ts";
export type {
  BackgroundDelegate,
  DelegateDesk,
  DelegateLimits,
  DelegateReport,
  DelegateState,
  DelegateUse,
  DelegateWork,
} from "../deck/builtins/delegate-desk.ts";
export { withLock } from "../store/lock.ts";
export {
  type DelegationTask,
  type SubagentCrew,
  toAgentSpec,
  toBlueprint,
  toMemberDraft,
  type WorkedWith,
} from "./crew.ts";
export { createDelegateRunner, type DelegateRunner, type DelegateRunnerFacts } from "./delegate-runner.ts";
