// The built-in tools, their standard collections, and a runnable box in one call (seed 001, registry and collections).

import type { ToolBox } from "../runtime/contract.ts";
import { makeLocalContext } from "./backends/local.ts";
import { editTool } from "./files/edit.ts";
import { lsTool } from "./files/ls.ts";
import { readTool } from "./files/read.ts";
import { writeTool } from "./files/write.ts";
import { CapabilityError, ToolRegistry } from "./kernel/tool-registry.ts";
import { todoReadTool, todoSetTool } from "./planning/todo.ts";
import { findTool } from "./search/find.ts";
import { grepTool } from "./search/grep.ts";
import { bashTool } from "./shell/bash.ts";
import { processTool } from "./shell/process.ts";
import { webFetchTool } from "./web/web-fetch.ts";
import { webSearchTool } from "./web/web-search.ts";

/** Tools that only observe. */
export const READ_ONLY_NAMES: readonly string[] = ["read", "ls", "grep", "find", "websearch", "webfetch"];

/** Tools that change something. */
export const MUTATING_NAMES: readonly string[] = [
  "write",
  "edit",
  "bash",
  "todo_set",
  "todo_read",
  "process",
];

/** `read-only` observes, `coding` also changes, `all` is every registered tool in registration order. */
export type ToolCollection = "read-only" | "coding" | "all";

/** A fresh registry of every built-in tool with the three standard collections. */
export function builtinRegistry(): ToolRegistry {
  const registry = new ToolRegistry().registerAll([
    readTool(),
    writeTool(),
    editTool(),
    lsTool(),
    grepTool(),
    findTool(),
    bashTool(),
    processTool(),
    todoSetTool(),
    todoReadTool(),
    webSearchTool(),
    webFetchTool(),
  ]);
  return registry
    .collection("read-only", READ_ONLY_NAMES)
    .collection("coding", [...READ_ONLY_NAMES, ...MUTATING_NAMES])
    .collection("all", registry.names());
}

/** A runnable box of one collection on this machine, rooted at `cwd` (the process's own when absent). */
export function toolBox(collection: ToolCollection, cwd: string = process.cwd()): ToolBox {
  return boxOf(collection, cwd);
}

/** Like {@link toolBox} for a name that may not be a collection: then the error comes back as a value. */
export function tryToolBox(collectionName: string, cwd: string = process.cwd()): ToolBox | CapabilityError {
  try {
    return boxOf(collectionName, cwd);
  } catch (error) {
    if (error instanceof CapabilityError) return error;
    throw error;
  }
}

// One context for the box, because it is one conversation; each dispatch puts its own signal on it.
function boxOf(collection: string, cwd: string): ToolBox {
  const context = makeLocalContext(cwd);
  return builtinRegistry().toToolBox(() => context, collection);
}
