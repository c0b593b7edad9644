// The built-in tools, their standard collections, and a runnable box in one call.

import type { ToolBox } from "../runtime/contract.ts";
import { makeLocalContext } from "./backends/local.ts";
import { editTool } from "./files/edit.ts";
import { lsTool } from "./files/ls.ts";
import { readTool } from "./files/read.ts";
import { writeTool } from "./files/write.ts";
import type { DefinedTool } from "./kernel/contract.ts";
import { CapabilityError, ToolRegistry } from "./kernel/tool-registry.ts";
import { todoReadTool, todoSetTool } from "./planning/todo.ts";
import { findTool } from "./search/find.ts";
import { grepTool } from "./search/grep.ts";
import type { SearchToolOptions } from "./search/search-tool-options.ts";
import { bashTool, type ShellToolOptions } from "./shell/bash.ts";
import { processTool } from "./shell/process.ts";
import type { WebToolOptions } from "./web/contract.ts";
import { webFetchTool } from "./web/web-fetch.ts";
import { webSearchTool } from "./web/web-search.ts";

/** How the tools are set up. Per-session state is in the scope of each call. */
export interface ToolServices {
  readonly search?: SearchToolOptions;
  readonly web?: WebToolOptions;
  readonly shell?: ShellToolOptions;
}

/** One built-in tool, defined completely by its row and its file. */
export interface ToolRow {
  readonly name: string;
  /** Tools that a host offers together, under one permission. */
  readonly group: "files" | "search" | "shell" | "planning" | "processes" | "web";
  /** Changes nothing. */
  readonly observes: boolean;
  /** What a call touches, for a host's permission check: which argument says so, and how. */
  readonly touches:
    | "read path"
    | "change path"
    | "write path"
    | "command"
    | "job"
    | "search host"
    | "url"
    | "nothing";
  readonly make: (services: ToolServices) => DefinedTool;
}

/** Every built-in tool, in registration order. */
export const BUILTIN_TOOLS: readonly ToolRow[] = [
  { name: "read", group: "files", observes: true, touches: "read path", make: () => readTool() },
  { name: "write", group: "files", observes: false, touches: "write path", make: () => writeTool() },
  { name: "edit", group: "files", observes: false, touches: "change path", make: () => editTool() },
  { name: "ls", group: "files", observes: true, touches: "read path", make: () => lsTool() },
  {
    name: "grep",
    group: "search",
    observes: true,
    touches: "read path",
    make: ({ search }) => grepTool(search),
  },
  {
    name: "find",
    group: "search",
    observes: true,
    touches: "read path",
    make: ({ search }) => findTool(search),
  },
  { name: "bash", group: "shell", observes: false, touches: "command", make: ({ shell }) => bashTool(shell) },
  {
    name: "todo_set",
    group: "planning",
    observes: false,
    touches: "nothing",
    make: () => todoSetTool(),
  },
  {
    name: "todo_read",
    group: "planning",
    observes: false,
    touches: "nothing",
    make: () => todoReadTool(),
  },
  {
    name: "process",
    group: "processes",
    observes: false,
    touches: "job",
    make: ({ shell }) => processTool(undefined, shell),
  },
  {
    name: "websearch",
    group: "web",
    observes: true,
    touches: "search host",
    make: ({ web }) => webSearchTool(web),
  },
  { name: "webfetch", group: "web", observes: true, touches: "url", make: ({ web }) => webFetchTool(web) },
];

/** Tools that only observe. */
export const READ_ONLY_NAMES: readonly string[] = namesOf(true);

/** Tools that change something. */
export const MUTATING_NAMES: readonly string[] = namesOf(false);

function namesOf(observes: boolean): readonly string[] {
  return BUILTIN_TOOLS.filter((row) => row.observes === observes).map(({ name }) => name);
}

/** `read-only` only observes, `coding` also changes things, `all` is every registered tool in registration order. */
export type ToolCollection = "read-only" | "coding" | "all";

/** A fresh registry of every built-in tool with the three standard collections. */
export function builtinRegistry(): ToolRegistry {
  const registry = new ToolRegistry().registerAll(BUILTIN_TOOLS.map(({ make }) => make({})));
  return registry
    .collection("read-only", READ_ONLY_NAMES)
    .collection("coding", [...READ_ONLY_NAMES, ...MUTATING_NAMES])
    .collection("all", registry.names());
}

/** A runnable box of one collection on this machine, rooted at `cwd` (default: the process's). */
export function toolBox(collection: ToolCollection, cwd: string = process.cwd()): ToolBox {
  return boxOf(collection, cwd);
}

/** Like {@link toolBox}, for a name that may not be a collection: then the error is returned as a value. */
export function tryToolBox(collectionName: string, cwd: string = process.cwd()): ToolBox | CapabilityError {
  try {
    return boxOf(collectionName, cwd);
  } catch (error) {
    if (error instanceof CapabilityError) return error;
    throw error;
  }
}

// One context per box, because it is one conversation; each dispatch sets its own signal on it.
function boxOf(collection: string, cwd: string): ToolBox {
  const context = makeLocalContext(cwd);
  return builtinRegistry().toToolBox(() => context, collection);
}
