export {
  type Authority,
  type AuthorityDeps,
  type CallToJudge,
  createAuthority,
  type DeedRefusal,
} from "./authority.ts";
export type * from "./command.ts";
export type * from "./decision.ts";
export type { Deed, Holder, Reach } from "./deeds.ts";
export type * from "./descriptor.ts";
export type { DispatchState } from "./dispatch-state.ts";
export { type DispatchOptions, EventDispatcher } from "./dispatcher.ts";
export * from "./events.ts";
export type { ChangeListener } from "./feature-list.ts";
export type { FenceOptions, HandlerOwner } from "./fence.ts";
export type { FenceClock } from "./fence-clock.ts";
export type { GrowthBudget, GrowthChange } from "./growth.ts";
export type * from "./handler.ts";
export { DEFAULT_DEADLINE_MS } from "./handler-limits.ts";
export {
  type CommittedHooks,
  createHooks,
  hooksOfDelegate,
  type LiveHooks,
  type SessionHooks,
} from "./hooks.ts";
export type { GrantedSecrets, RegistryHost, SessionHost } from "./host.ts";
export type * from "./install.ts";
export type * from "./install-report.ts";
export type * from "./interceptor.ts";
export { type ExecuteTool, InterceptorChain, type InterceptResult, type RunOptions } from "./interceptors.ts";
export type * from "./memory-service.ts";
export type { ObserverCall, Observers } from "./observers.ts";
export type * from "./payloads.ts";
export type * from "./permission.ts";
export {
  type CommittedFeature,
  createRegistry,
  type FeatureRegistry,
  type GrantPolicy,
  grantDeclared,
  type InstalledFeatures,
  installFeatures,
  type OfferedFeature,
  RESERVED_ACTION_NAMES,
  type RegistryChange,
} from "./registry.ts";
export type * from "./services.ts";
export type * from "./sessions-service.ts";
export {
  createTaskSupervisor,
  type TaskClock,
  type TaskReport,
  type TaskState,
  type TaskSupervisor,
  type TaskSupervisorDeps,
} from "./tasks.ts";
export type { CallShare, CallTime } from "./time-budget.ts";
export type * from "./tool.ts";
export type * from "./ui.ts";
export type * from "./work-items-service.ts";
