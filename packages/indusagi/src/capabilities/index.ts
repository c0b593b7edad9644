export { type ClipEnd, clamp, defaultNotice, type OutputBudget } from "../core/clamp.ts";
export { type LocalContextOptions, makeLocalContext, standardBudget } from "./backends/local.ts";
export { localFs } from "./backends/local-fs.ts";
export { localShell } from "./backends/local-shell.ts";
export {
  DEFAULT_CONTEXT,
  type DiffOp,
  type DiffOpKind,
  diffLines,
  type LineDiff,
  renderUnifiedDiff,
} from "./files/diff.ts";
export { editTool } from "./files/edit.ts";
export { lsTool } from "./files/ls.ts";
export { readTool } from "./files/read.ts";
export {
  enforceReadGate,
  type GateOutcome,
  getReadStateHandle,
  MODIFIED_SINCE_READ_MESSAGE,
  READ_BEFORE_EDIT_MESSAGE,
  recordReadState,
} from "./files/read-state-gate.ts";
export { writeTool } from "./files/write.ts";
export { ArgumentReader } from "./kernel/argument-reader.ts";
export * from "./kernel/contract.ts";
export { coerceInput, defineTool, describeThrow, projectOutput } from "./kernel/define-tool.ts";
export { failureResult, jsonResult, textResult } from "./kernel/results.ts";
export { nextContextId, withSignal } from "./kernel/tool-context.ts";
export { CapabilityError, ToolRegistry } from "./kernel/tool-registry.ts";
export {
  builtinRegistry,
  MUTATING_NAMES,
  READ_ONLY_NAMES,
  type ToolCollection,
  toolBox,
  tryToolBox,
} from "./registry.ts";
export { findTool } from "./search/find.ts";
export { grepTool } from "./search/grep.ts";
export { matchesWildcard } from "./search/wildcard.ts";
export { bashTool } from "./shell/bash.ts";
