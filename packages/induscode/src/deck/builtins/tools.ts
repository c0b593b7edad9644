// The built-in tools as features, one for each group of the framework's table. They go through the same boundary as any addon's tool.

import {
  BUILTIN_TOOLS,
  type SearchToolOptions,
  type ShellToolOptions,
  type ToolRow,
  type ToolServices,
  type WebToolOptions,
  webSearchHost,
} from "indusagi/capabilities";
import { EVERY_HOST } from "../../feature/capabilities.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { Access, ToolContribution } from "../../feature/tool.ts";
import {
  type AccessReader,
  commandAccess,
  editAccess,
  jobAccess,
  noAccess,
  pathAccess,
  urlAccess,
} from "./accesses.ts";
import { createToolFeature } from "./tool-feature.ts";

const ACCESSES: Readonly<Record<ToolRow["touches"], (services: ToolServices) => AccessReader>> = {
  "read path": () => pathAccess("read"),
  "write path": () => pathAccess("write"),
  "change path": () => editAccess,
  command: () => commandAccess,
  job: () => jobAccess,
  url: () => urlAccess,
  "search host":
    ({ web = {} }) =>
    () => [{ kind: "network", host: webSearchHost(web) ?? "unknown" }],
  nothing: () => noAccess,
};

/** What each call does beyond reading; a command or a job may only look. */
const ALWAYS: Readonly<Partial<Record<ToolRow["touches"], Access["kind"]>>> = {
  "write path": "write",
  "change path": "write",
  url: "network",
  "search host": "network",
};

/** The tools of a group, with what each touches. */
export function toolsOf(group: ToolRow["group"], services: ToolServices = {}): readonly ToolContribution[] {
  return BUILTIN_TOOLS.filter((row) => row.group === group).map(({ make, touches }) => ({
    tool: make(services),
    accesses: ACCESSES[touches](services),
    always: ALWAYS[touches] === undefined ? undefined : [ALWAYS[touches]],
    runsInShell: touches === "command" || touches === "job" ? true : undefined,
  }));
}

/** Reading, writing, editing and listing files. */
export function filesFeature(): FeatureModule {
  return createToolFeature({
    id: "builtin:files",
    displayName: "Files",
    uses: [
      {
        capability: { kind: "files", read: true, write: true, execute: false },
        required: true,
        reason: "reads and changes files of the workspace",
      },
    ],
    tools: () => toolsOf("files"),
  });
}

/** Searching file contents and names. */
export function searchFeature(search: SearchToolOptions = {}): FeatureModule {
  return createToolFeature({
    id: "builtin:search",
    displayName: "Search",
    uses: [
      {
        capability: { kind: "files", read: true, write: false, execute: false },
        required: true,
        reason: "searches the files of the workspace",
      },
    ],
    tools: () => toolsOf("search", { search }),
  });
}

/** Running commands. */
export function shellFeature(shell: ShellToolOptions = {}): FeatureModule {
  return createToolFeature({
    id: "builtin:shell",
    displayName: "Shell",
    uses: [
      {
        capability: { kind: "files", read: true, write: true, execute: true },
        required: true,
        reason: "runs commands in the workspace",
      },
    ],
    tools: () => toolsOf("shell", { shell }),
  });
}

/** The model's own checklist. */
export function planningFeature(): FeatureModule {
  return createToolFeature({
    id: "builtin:planning",
    displayName: "Planning",
    tools: () => toolsOf("planning"),
  });
}

/** Searching the web and reading pages. Each host is asked about until a rule allows it. */
export function webFeature(web: WebToolOptions): FeatureModule {
  return createToolFeature({
    id: "builtin:web",
    displayName: "Web",
    uses: [
      {
        capability: { kind: "network", purpose: "search and read pages", hosts: [EVERY_HOST] },
        required: true,
        reason: "reads public web pages",
      },
    ],
    tools: () => toolsOf("web", { web }),
  });
}
