export { type ClipEnd, clamp, defaultNotice, type OutputBudget } from "../core/clamp.ts";
export type { JsonSchema } from "../core/schema/json-schema.ts";
export { withoutSequences } from "../core/screen-text.ts";
export type { ToolBox, ToolCall, ToolDescriptor, ToolOutcome, ToolRunner } from "../runtime/contract.ts";
export { createCommandMark } from "./backends/command-mark.ts";
export { decodeUtf8 } from "./backends/file-content.ts";
export { bashShell, findBash } from "./backends/find-bash.ts";
export { type LocalContextOptions, makeLocalContext, standardBudget } from "./backends/local.ts";
export { localFs } from "./backends/local-fs.ts";
export { type CommandLauncher, type LocalShellOptions, localShell } from "./backends/local-shell.ts";
export { type MemoryContext, type MemoryContextOptions, makeMemoryContext } from "./backends/memory.ts";
export { type MemoryFs, type MemoryFsOptions, memoryFs } from "./backends/memory-fs.ts";
export {
  type MemoryShell,
  memoryShell,
  type ScriptedAnswer,
  type ShellCall,
  type ShellScript,
} from "./backends/memory-shell.ts";
export { opensByHandle } from "./backends/place.ts";
export { type GroupLaunch, signalGroup, startGroup } from "./backends/process-group.ts";
export { ripgrepPath } from "./backends/ripgrep.ts";
export { type FileListing, listFiles } from "./backends/ripgrep-files.ts";
export { confinedTo, type FsScope, ScopeError, type ShellScope } from "./backends/scoped.ts";
export { scopedFs } from "./backends/scoped-fs.ts";
export { type ScopedShellOptions, scopedShell } from "./backends/scoped-shell.ts";
export {
  commandGone,
  isCommandRunning,
  killCommand,
  type StartedCommand,
} from "./backends/started-command.ts";
export { type ChangedRange, changedRanges, splitLines } from "./files/changed-ranges.ts";
export { type DiffOp, type DiffOpKind, diffLines, type LineDiff } from "./files/diff.ts";
export { editTool } from "./files/edit.ts";
export type { ReadLimits } from "./files/line-window.ts";
export { lsTool } from "./files/ls.ts";
export { PAST_OUTCOMES, type PastOutcome } from "./files/past-outcome.ts";
export { sharesLocksWith } from "./files/path-lock.ts";
export { MAX_PICTURE_BYTES, type Picture, pictureIn } from "./files/picture.ts";
export { readTool } from "./files/read.ts";
export {
  enforceReadGate,
  type GateOutcome,
  getReadStateHandle,
  MODIFIED_SINCE_READ_MESSAGE,
  READ_BEFORE_EDIT_MESSAGE,
  recordReadState,
  type SeenContent,
} from "./files/read-state-gate.ts";
export { DEFAULT_CONTEXT, renderUnifiedDiff } from "./files/unified-diff.ts";
export { writeTool } from "./files/write.ts";
export { ArgumentReader } from "./kernel/argument-reader.ts";
export { type CallNotes, type NotedReport, noteReport } from "./kernel/call-notes.ts";
export * from "./kernel/contract.ts";
export { coerceInput, defineTool, describeThrow, projectOutput } from "./kernel/define-tool.ts";
export { type FittedInput, fitInput } from "./kernel/fit-input.ts";
export { failureResult, jsonResult, textResult } from "./kernel/results.ts";
export { nextContextId, withSignal } from "./kernel/tool-context.ts";
export { CapabilityError, ToolRegistry } from "./kernel/tool-registry.ts";
export { checklistText, recallTodos, resetTodos, todoReadTool, todoSetTool } from "./planning/todo.ts";
export {
  createTodoStore,
  TODOS,
  type TodoItem,
  type TodoStatus,
  type TodoStore,
} from "./planning/todo-store.ts";
export {
  BUILTIN_TOOLS,
  builtinRegistry,
  MUTATING_NAMES,
  READ_ONLY_NAMES,
  type ToolCollection,
  type ToolRow,
  type ToolServices,
  toolBox,
  tryToolBox,
} from "./registry.ts";
export { findTool } from "./search/find.ts";
export { PRUNED_NAMES } from "./search/folder-level.ts";
export { grepTool } from "./search/grep.ts";
export type { SearchToolOptions } from "./search/search-tool-options.ts";
export { matchesWildcard } from "./search/wildcard.ts";
export type { JobPeek, JobReport, JobView } from "./shell/background-job.ts";
export { bashTool, describeUnstarted, type ShellToolOptions } from "./shell/bash.ts";
export type { OutputWindow } from "./shell/job-output.ts";
export {
  createJobTable,
  JOBS,
  type JobProblem,
  type JobTable,
  type JobTableOptions,
} from "./shell/job-table.ts";
export { UNATTENDED } from "./shell/nobody-there.ts";
export { processTool, resetProcessTable } from "./shell/process.ts";
export { type WatchedOutput, watchOutput } from "./shell/watch-output.ts";
export {
  createWholeOutputs,
  WHOLE_OUTPUTS,
  type WholeOutput,
  type WholeOutputs,
  type WholeOutputsOptions,
} from "./shell/whole-outputs.ts";
export { addressProblem } from "./web/address-rules.ts";
export type * from "./web/contract.ts";
export { guardedFetch } from "./web/guarded-fetch.ts";
export { type HtmlText, type HtmlTextOptions, htmlToText } from "./web/html-to-text.ts";
export { webFetchHost, webFetchTool } from "./web/web-fetch.ts";
export { webSearchHost, webSearchTool } from "./web/web-search.ts";
