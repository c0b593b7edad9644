// The built-in tools and their other known names: those in examples for authors, in earlier editions and in other agents. A
// rule or matcher that says `Bash` or `shell` means `bash`.

import { MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";

/** Hands work to delegates. */
export const TASK_TOOL = "task";

/** Finds a tool of an MCP server that is only named in the prompt. */
export const FIND_TOOLS = "find_tools";
/** Calls one of those. */
export const CALL_TOOL = "call_tool";
/** List and read what MCP servers offer besides tools. */
export const LIST_RESOURCES = "list_mcp_resources";
export const READ_RESOURCE = "read_mcp_resource";

/** No feature contributes them: a session has them where its servers need them. */
const OF_SERVERS: readonly string[] = [FIND_TOOLS, CALL_TOOL, LIST_RESOURCES, READ_RESOURCE];

/** Every tool the product ships. */
export const BUILTIN_TOOL_NAMES: readonly string[] = [
  ...READ_ONLY_NAMES,
  ...MUTATING_NAMES,
  TASK_TOOL,
  "enter_plan_mode",
  "exit_plan_mode",
  "ask_user",
  ...OF_SERVERS,
];

/** In lower case, without separators. */
const ALIASES: Readonly<Record<string, string>> = {
  shell: "bash",
  glob: "find",
  list: "ls",
  multiedit: "edit",
  notebookedit: "edit",
  notebookread: "read",
  patch: "edit",
  todowrite: "todo_set",
  todoread: "todo_read",
  agent: TASK_TOOL,
  askuserquestion: "ask_user",
};

/** Suggested when a name in Claude's spelling is mistyped. */
export const FOREIGN_TOOL_NAMES: readonly string[] = [
  ...["Bash", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Grep", "Glob", "LS", "WebFetch"],
  ...["WebSearch", "Task", "Agent", "TodoWrite"],
];

const BY_FOLDED_NAME: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ALIASES),
  ...BUILTIN_TOOL_NAMES.map((name) => [fold(name), name] as const),
]);

/** The built-in tool that `name` means in any spelling; undefined for other names. */
export function builtinToolName(name: string): string | undefined {
  return BY_FOLDED_NAME.get(fold(name));
}

/** In a permission rule: `outside(git push)` is `bash(git push)` for a command that leaves the sandbox. */
export const OUTSIDE = "outside";

/** With a server's name behind it, all tools of that MCP server in a permission rule. */
const SERVER_TOOL = "mcp__";

/** Whether the tool is an MCP server's: no other feature may take such a name. */
export function isServerTool(name: string): boolean {
  return name.toLowerCase().startsWith(SERVER_TOOL);
}

/** What a permission rule with this tool's name would be about instead of the tool; undefined if it is about the tool. */
export function otherMeaning(name: string, isOfServer: boolean): string | undefined {
  if (name.toLowerCase() === OUTSIDE) return "commands that leave the sandbox";
  if (!isOfServer && isServerTool(name)) return "the tools of an MCP server";
  const builtin = builtinToolName(name);
  if (builtin !== undefined && OF_SERVERS.includes(builtin)) return "a tool for MCP servers";
  return builtin === undefined || builtin === name ? undefined : `the tool "${builtin}"`;
}

const builtinByMatch = new Map<string, string | undefined>();

/** Whether a matcher, a tool's name in any spelling or `*`, matches `tool`. */
export function meansTool(match: string, tool: string): boolean {
  if (match === tool || match === "*") return true;
  // Resolved once per matcher: every call checks all of them.
  if (!builtinByMatch.has(match)) builtinByMatch.set(match, builtinToolName(match));
  return builtinByMatch.get(match) === tool;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}
