// The built-in tools as features. They take the same door as any addon's tool.

import {
  bashTool,
  editTool,
  findTool,
  grepTool,
  lsTool,
  readTool,
  type SearchToolOptions,
  type TodoStore,
  todoReadTool,
  todoSetTool,
  type WebToolOptions,
  webFetchTool,
  webSearchHost,
  webSearchTool,
  writeTool,
} from "indusagi/capabilities";
import type { FeatureModule } from "../../feature/contract.ts";
import { type AccessReader, commandAccess, editAccess, noAccess, pathAccess, urlAccess } from "./accesses.ts";
import { createToolFeature } from "./tool-feature.ts";

/** Reading, writing, editing and listing files. */
export function filesFeature(): FeatureModule {
  return createToolFeature({
    id: "builtin:files",
    displayName: "Files",
    uses: { kind: "files", read: true, write: true, execute: false },
    reason: "reads and changes files of the workspace",
    tools: [
      { tool: readTool(), accesses: pathAccess("read") },
      { tool: writeTool(), accesses: pathAccess("write") },
      { tool: editTool(), accesses: editAccess },
      { tool: lsTool(), accesses: pathAccess("read") },
    ],
  });
}

/** Searching file contents and names. */
export function searchFeature(options: SearchToolOptions = {}): FeatureModule {
  return createToolFeature({
    id: "builtin:search",
    displayName: "Search",
    uses: { kind: "files", read: true, write: false, execute: false },
    reason: "searches the files of the workspace",
    tools: [
      { tool: grepTool(options), accesses: pathAccess("read") },
      { tool: findTool(options), accesses: pathAccess("read") },
    ],
  });
}

/** Running commands. */
export function shellFeature(): FeatureModule {
  return createToolFeature({
    id: "builtin:shell",
    displayName: "Shell",
    uses: { kind: "files", read: true, write: true, execute: true },
    reason: "runs commands in the workspace",
    tools: [{ tool: bashTool(), accesses: commandAccess }],
  });
}

/** The model's own checklist. */
export function planningFeature(store: TodoStore): FeatureModule {
  return createToolFeature({
    id: "builtin:planning",
    displayName: "Planning",
    tools: [
      { tool: todoSetTool(store), accesses: noAccess },
      { tool: todoReadTool(store), accesses: noAccess },
    ],
  });
}

/** Searching the web and reading pages. Each host is asked about until a rule allows it. */
export function webFeature(options: WebToolOptions): FeatureModule {
  const searchAccess: AccessReader = () => [{ kind: "network", host: webSearchHost(options) ?? "unknown" }];
  return createToolFeature({
    id: "builtin:web",
    displayName: "Web",
    uses: { kind: "network", purpose: "search and read pages", hosts: ["*"] },
    reason: "reads public web pages",
    tools: [
      { tool: webSearchTool(options), accesses: searchAccess },
      { tool: webFetchTool(options), accesses: urlAccess },
    ],
  });
}
