// What `induscode/addons` is to an addon: the types it is written with, and the little that runs in its own process. At run
// time this folder imports nothing but the event table, because every runner loads it.

export type { JsonObject, JsonSchema, JsonValue } from "indusagi/core";
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
} from "../../feature/events.ts";
export type { GateDecision, HandlerContext, HandlerTraits, HookHandler } from "../../feature/handler.ts";
export type {
  EnterOutcome,
  ExitOutcome,
  InterceptorStage,
  ToolEnterContext,
  ToolExitContext,
  ToolResultForm,
} from "../../feature/interceptor.ts";
export type * from "../../feature/payloads.ts";
export type { DiagnosticSeverity, ExecOutcome } from "../../feature/services.ts";
export type { UiPart, UiShape } from "../../feature/ui.ts";
export type {
  AddonHostServices,
  AddonModule,
  AddonSurface,
  AddonTask,
  AddonTool,
  AddonToolResult,
  AddonUi,
  AskOptions,
  CapabilityNeed,
  CommandContext,
  CommandSpec,
  FetchAnswer,
  FetchRequest,
  Recorded,
  RecordedCommand,
  RecordedHandler,
  RecordedInterceptor,
  RecordedTask,
  RecordedTool,
  RegisteredManifest,
  SessionHandles,
  ToolRunContext,
  UiOffers,
} from "./contract.ts";
export {
  type GateHandler,
  gate,
  type HandlerRun,
  type ObserveHandler,
  observe,
  stop,
  type TransformHandler,
  transform,
} from "./handlers.ts";
export { HostRefused, type RefusalKind } from "./host-refused.ts";
export type {
  MemoryEntry,
  MemoryScope,
  PlainServices,
  SessionLimits,
  SpawnedSession,
  WorkItem,
  WorkItemChange,
  WorkItemComment,
  WorkItemIds,
  WorkItemPriority,
  WorkItemStatus,
} from "./plain-services.ts";
export {
  createSurface,
  emptyManifest,
  RecordingSurface,
  type SurfaceDeps,
  type UnfitPart,
} from "./recording-surface.ts";

/** The location of this very module, in the sources and the bundle: the runner maps imports of the kit to it. */
export const KIT_URL: string = import.meta.url;
