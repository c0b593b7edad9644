export { type ArgumentWords, argumentWords } from "./argument-words.ts";
export { CAPABILITY_KINDS, isHostCapability } from "./capability-kinds.ts";
export { hashAddon, MAX_ADDON_BYTES, MAX_ADDON_ENTRIES } from "./content-hash.ts";
export {
  ADDON_MANIFEST_FIELD,
  ADDONS_DIR,
  type AddonDescription,
  type AddonDiscovery,
  type AddonFault,
  type AddonFaultKind,
  type AddonFaultListener,
  type AddonId,
  type AddonScope,
  type AddonSource,
  addonId,
  type Discovered,
  ENTRY_EXTENSIONS,
  featureIdOf,
  type LoadedAddon,
  LoaderError,
  type LoaderErrorKind,
  MANIFEST_FILENAME,
  type ModuleLoader,
} from "./contract.ts";
export {
  decideTrust,
  type TrustAsker,
  type TrustDecision,
  type TrustOptions,
  type TrustQuestion,
} from "./decide-trust.ts";
export { createDeclarativeLoader, type DeclarativeLoader } from "./declarative-loader.ts";
export { deriveAddonId, discoverAddons, discoverSources, MAX_ENTRIES } from "./discover.ts";
export {
  type AddonBundle,
  type AddonGrants,
  type AddonHost,
  type AddonHostDeps,
  createAddonHost,
  type SkippedAddon,
} from "./host.ts";
export {
  type AddonHostServices,
  type AddonModule,
  type AddonSurface,
  type AddonTask,
  type AddonTool,
  type AddonToolResult,
  type CommandContext,
  type CommandSpec,
  createSurface,
  type EnterOutcome,
  EVENT_TRAITS,
  type EventTrait,
  type ExecOutcome,
  emptyManifest,
  type FetchAnswer,
  type FetchRequest,
  type GateDecision,
  type GateHandler,
  gate,
  type HandlerContext,
  HOOK_EVENTS,
  type HookEvent,
  type HookHandler,
  HostRefused,
  type InterceptorStage,
  type ObserveHandler,
  observe,
  type PayloadOf,
  RESERVED_EVENTS,
  RecordingSurface,
  type RefusalKind,
  type RegisteredManifest,
  type SessionHandles,
  type SurfaceDeps,
  stop,
  type ToolEnterContext,
  type ToolExitContext,
  type ToolRunContext,
  type TransformHandler,
  transform,
} from "./kit/index.ts";
export { createTieredLoader, type TieredLoader, type TieredLoaderDeps } from "./loaders/tiered-loader.ts";
export {
  type AddonDescriptor,
  type CommandDescriptor,
  type GateDescriptor,
  MAX_MANIFEST_BYTES,
  type ParsedManifest,
  parseManifest,
} from "./manifest.ts";
export { expandPath, resolvePath, scrubInvisible } from "./path-hygiene.ts";
export { readTimes, type StoredTimes } from "./remote/addon-times.ts";
export { createQuarantine, type Quarantine, type QuarantineEntry } from "./remote/quarantine.ts";
export { confinedTo, denyAll, permitsEnv, permitsPath, type SandboxPolicy } from "./sandbox-policy.ts";
export { createTrust, type Trust, type TrustGrant } from "./trust.ts";
