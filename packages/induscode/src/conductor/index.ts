export { createConductor } from "./conductor.ts";
export type { ConductorDeps, TurnHooks } from "./conductor-deps.ts";
export type * from "./contract.ts";
export { type CostBudget, createCostBudget } from "./cost.ts";
export type { ContextFold, FoldMark, PromptFacts, Repairs, ViewPlace } from "./fold.ts";
export {
  createLog,
  LogError,
  type NewLogFacts,
  type OpenedLog,
  openLog,
  type SessionLog,
} from "./log.ts";
export type { HeldFile } from "./log-file.ts";
export {
  describeDamage,
  type LaterLine,
  type LogDamage,
  type ReadLog,
  type ReadWish,
  readEntries,
} from "./log-reader.ts";
export { NO_MASK } from "./masked.ts";
export type { ModelResolver, ResolvedModel } from "./model-in-use.ts";
export type { FoldWish } from "./read-folded.ts";
export { createSessionId, listSessions, sessionFolder, sessionPath } from "./sessions.ts";
export type { WhereToWrite } from "./unwritten.ts";
export { type Verification, verifyEntries } from "./verify.ts";
