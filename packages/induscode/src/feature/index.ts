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
export type { DispatchState } from "./dispatch/dispatch-state.ts";
export { type DispatchOptions, EventDispatcher } from "./dispatch/dispatcher.ts";
export type { FenceOptions, HandlerOwner } from "./dispatch/fence.ts";
export type { FenceClock } from "./dispatch/fence-clock.ts";
export type { GrowthBudget, GrowthChange } from "./dispatch/growth.ts";
export {
  type CommittedHooks,
  createHooks,
  hooksOfDelegate,
  type LiveHooks,
  type SessionHooks,
} from "./dispatch/hooks.ts";
export {
  type ExecuteTool,
  InterceptorChain,
  type InterceptResult,
  type RunOptions,
} from "./dispatch/interceptors.ts";
export type { ObserverCall, Observers } from "./dispatch/observers.ts";
export {
  createTaskSupervisor,
  type TaskClock,
  type TaskReport,
  type TaskState,
  type TaskSupervisor,
  type TaskSupervisorDeps,
} from "./dispatch/tasks.ts";
export type { CallShare, CallTime } from "./dispatch/time-budget.ts";
export {
  type ChangeOf,
  EVENT_TRAITS,
  type EventTrait,
  HOOK_EVENTS,
  type HookEvent,
  isHookEvent,
  type PayloadGroup,
  type PayloadOf,
  RESERVED_EVENTS,
} from "./events.ts";
export type * from "./handler.ts";
export { DEFAULT_DEADLINE_MS } from "./handler-limits.ts";
export type { GrantedSecrets, RegistryHost, SessionHost } from "./host.ts";
export type * from "./install.ts";
export type * from "./install-report.ts";
export type * from "./interceptor.ts";
export type * from "./memory-service.ts";
export type * from "./payloads.ts";
export type * from "./permission.ts";
export type { ChangeListener } from "./registration/feature-list.ts";
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
export type * from "./sampling-service.ts";
export type * from "./services.ts";
export type * from "./sessions-service.ts";
export type * from "./tool.ts";
export type * from "./ui.ts";
export type * from "./work-items-service.ts";
