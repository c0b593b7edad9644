export { type ArgumentWords, argumentWords } from "./kinds/argument-words.ts";
export { isHostCapability } from "./source/capability-kinds.ts";
export { hashAddon, MAX_ADDON_BYTES, MAX_ADDON_ENTRIES } from "./source/content-hash.ts";

// `induscode/addons/host`: for programs that host addons. Addons themselves import `induscode/addons`, the folder `kit`.

export type { CommandContext, InstalledCommand } from "../feature/command.ts";
export { type DispatchOptions, EventDispatcher } from "../feature/dispatch/dispatcher.ts";
export type { FenceOptions } from "../feature/dispatch/fence.ts";
export {
  type ExecuteTool,
  InterceptorChain,
  type InterceptResult,
} from "../feature/dispatch/interceptors.ts";
export {
  createTaskSupervisor,
  type TaskClock,
  type TaskReport,
  type TaskState,
  type TaskSupervisor,
  type TaskSupervisorDeps,
} from "../feature/dispatch/tasks.ts";
export type { Attribution, DispatchOutcome, EventSubscription, HandlerContext } from "../feature/handler.ts";
export { DEFAULT_DEADLINE_MS } from "../feature/handler-limits.ts";
export type { ToolInterceptor } from "../feature/interceptor.ts";
export { type InstalledFeatures as AddonRegistry, RESERVED_ACTION_NAMES } from "../feature/registry.ts";
export type { ExecOutcome, SessionHandles as FrameworkHandles } from "../feature/services.ts";
export type { ToolContribution } from "../feature/tool.ts";
export type * from "./author-type-names.ts";
export type * from "./contract.ts";
export {
  ADDON_MANIFEST_FIELD,
  ADDONS_DIR,
  addonFault,
  addonId,
  describeFault,
  ENTRY_EXTENSIONS,
  featureIdOf,
  LoaderError,
  MANIFEST_FILENAME,
} from "./contract.ts";
export type {
  AddonAssembly,
  AssembledAddons,
  SkippedAddon,
} from "./host.ts";
export { createDeclarativeLoader, type DeclarativeLoader } from "./kinds/declarative-loader.ts";
export {
  type AddonHostServices,
  type AddonModule as AddonManifest,
  type AddonSurface,
  type AddonTool,
  type CommandSpec,
  createSurface,
  type EnterOutcome,
  EVENT_TRAITS,
  type EventTrait,
  emptyManifest,
  type GateDecision,
  type GateHandler,
  gate,
  HOOK_EVENTS,
  type HookEvent,
  type HookHandler,
  type InterceptorStage,
  type ObserveHandler,
  observe,
  type PayloadOf,
  RESERVED_EVENTS,
  RecordingSurface,
  type RegisteredManifest,
  type SurfaceDeps,
  stop,
  type ToolEnterContext,
  type ToolExitContext,
  type TransformHandler,
  transform,
} from "./kit/index.ts";
export {
  type AddonBundle,
  type AddonHost,
  type AddonHostDeps,
  type CommandEnd,
  createAddonHost,
  type OfferedServices,
} from "./library-host.ts";
export { interceptor, subscription } from "./minters.ts";
export { readTimes, type StoredTimes, type TimeFigures, type TimeTable } from "./process/addon-times.ts";
export type { ProtocolLimits } from "./process/protocol/contract.ts";
export { createQuarantine, type Quarantine, type QuarantineEntry } from "./process/quarantine.ts";
export {
  confinedTo,
  denyAll,
  permitsEnv,
  permitsPath,
  type SandboxPolicy,
} from "./sandbox/sandbox-policy.ts";
export { createScriptedLoader, featureOf } from "./scripted-loader.ts";
export {
  decideTrust,
  type TrustAsker,
  type TrustDecision,
  type TrustOptions,
  type TrustQuestion,
} from "./source/decide-trust.ts";
export { deriveAddonId, discoverAddons, discoverSources, MAX_ENTRIES } from "./source/discover.ts";
export type { ArgumentCondition } from "./source/gate-condition.ts";
export {
  type AddonDescriptor,
  type CommandDescriptor,
  type GateDescriptor,
  MAX_MANIFEST_BYTES,
  type ParsedManifest,
  type ProviderDescriptor,
  parseManifest,
  type RunDescriptor,
} from "./source/manifest.ts";
export { expandPath, type PathAnchors, resolvePath, scrubInvisible } from "./source/path-hygiene.ts";
export type { IdleGrant, PersonGrants } from "./source/person-grants.ts";
export { createTrust, type Trust, type TrustGrant, type TrustRefusal } from "./source/trust.ts";
