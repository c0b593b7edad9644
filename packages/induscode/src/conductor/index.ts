export { type ConductorDeps, createConductor } from "./conductor.ts";
export type * from "./contract.ts";
export { type CostBudget, createCostBudget } from "./cost.ts";
export {
  createLog,
  LogError,
  type NewLogFacts,
  type OpenedLog,
  openLog,
  type SessionLog,
} from "./log.ts";
export { describeDamage, type LogDamage, type ReadLog, readEntries } from "./log-reader.ts";
export { NO_MASK } from "./masked.ts";
export type { ModelResolver, ResolvedModel } from "./model-in-use.ts";
export { createSessionId, listSessions, sessionFolder, sessionPath } from "./sessions.ts";
export { type Verification, verifyEntries } from "./verify.ts";
