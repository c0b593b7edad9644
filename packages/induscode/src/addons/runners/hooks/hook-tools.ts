// Tools and their arguments in the words of hooks, and back: a hook that knows `Bash` and `file_path` is told of them.

import type { JsonObject } from "indusagi/core";

interface ToolWords {
  readonly name: string;
  /** Our argument to theirs; others keep their names. */
  readonly args: Readonly<Record<string, string>>;
}

const FILE = { path: "file_path" } as const;

const TOOL_WORDS: Readonly<Record<string, ToolWords>> = {
  bash: { name: "Bash", args: { timeoutMs: "timeout" } },
  read: { name: "Read", args: FILE },
  write: { name: "Write", args: FILE },
  edit: {
    name: "Edit",
    args: { ...FILE, oldText: "old_string", newText: "new_string", replaceAll: "replace_all" },
  },
  grep: { name: "Grep", args: {} },
  find: { name: "Glob", args: { query: "pattern" } },
  ls: { name: "LS", args: {} },
  task: { name: "Task", args: { agent: "subagent_type", objective: "prompt" } },
  todo_set: { name: "TodoWrite", args: {} },
  todo_read: { name: "TodoRead", args: {} },
  webfetch: { name: "WebFetch", args: {} },
  websearch: { name: "WebSearch", args: {} },
  ask_user: { name: "AskUserQuestion", args: {} },
  exit_plan_mode: { name: "ExitPlanMode", args: {} },
  enter_plan_mode: { name: "EnterPlanMode", args: {} },
};

/** Other names of a tool there: a matcher that says one of them means it. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  Edit: ["MultiEdit", "NotebookEdit"],
  Task: ["Agent"],
};

/** What a hook is told that a tool is called; an MCP server's keeps its name. */
export function hookToolName(tool: string): string {
  return TOOL_WORDS[tool]?.name ?? tool;
}

/** Every name by which a matcher may mean it. */
export function hookToolNames(tool: string): readonly string[] {
  const name = hookToolName(tool);
  return [name, ...(ALSO[name] ?? []), ...(name === tool ? [] : [tool])];
}

/** The arguments of a call as a hook reads them. */
export function hookToolInput(tool: string, args: JsonObject): JsonObject {
  const words = TOOL_WORDS[tool]?.args ?? {};
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [words[key] ?? key, value]));
}

/** The arguments that a hook returned, as the tool takes them. */
export function toolArguments(tool: string, input: JsonObject): JsonObject {
  const ours = Object.entries(TOOL_WORDS[tool]?.args ?? {}).map(([own, theirs]) => [theirs, own] as const);
  const back = new Map(ours);
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [back.get(key) ?? key, value]));
}
