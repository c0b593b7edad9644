// `induscode/sdk`: a task or a session of `indus` in a program, with functions of the program's.

export { Problem } from "../../cli/problem.ts";
export {
  type CallAnswer,
  type CallContext,
  type CallerTool,
  type Hook,
  type HookOf,
  type ToolDefinition,
  type Touch,
  tool,
} from "./caller-tool.ts";
export type { FromSchema, SchemaLiteral } from "./from-schema.ts";
export { openSession } from "./open-session.ts";
export { type Query, query } from "./query.ts";
export type { Answer, Ask, QueryOptions, Question, SessionOptions, Transport } from "./sdk-options.ts";
export type { SdkSession } from "./sdk-session.ts";
export type { TaskEvent, TaskFacts, TaskFault, TaskResult } from "./task-events.ts";
