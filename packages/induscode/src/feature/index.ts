export type * from "./contract.ts";
export type { DispatchState } from "./dispatch-state.ts";
export { type DispatchOptions, EventDispatcher } from "./dispatcher.ts";
export * from "./events.ts";
export type { FenceOptions } from "./fence.ts";
export type { GrowthBudget, GrowthChange } from "./growth.ts";
export { DEFAULT_DEADLINE_MS } from "./handler-limits.ts";
export {
  type CommittedHooks,
  createHooks,
  hooksOfDelegate,
  type LiveHooks,
  type SessionHooks,
} from "./hooks.ts";
export type { FeatureHost, GrantedSecrets } from "./host.ts";
export { type ExecuteTool, InterceptorChain, type InterceptResult } from "./interceptors.ts";
export { mayDo } from "./may-do.ts";
export type { ObserverCall, Observers } from "./observers.ts";
export type * from "./payloads.ts";
export {
  type GrantPolicy,
  grantDeclared,
  type InstalledFeatures,
  type InstalledTask,
  installFeatures,
  RESERVED_ACTION_NAMES,
} from "./registry.ts";
export {
  createTaskSupervisor,
  type TaskClock,
  type TaskReport,
  type TaskState,
  type TaskSupervisor,
  type TaskSupervisorDeps,
} from "./tasks.ts";
