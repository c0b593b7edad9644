// Files of other agents that have no effect here: a person who knows them from there is shown which ones, and what to do instead.

import { lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode, readBoundedFile } from "indusagi/core";
import { realPathOf } from "../briefing/text-file.ts";
import { findWorkspaceRoot } from "../briefing/workspace-root.ts";

/** One file or folder that was found. Only its name and keys from the tables below are reported, no text from a repository. */
export interface ForeignFile {
  /** An absolute path. */
  readonly path: string;
  /** As in the table if below the first project, `~/…` if below home, else absolute. */
  readonly label: string;
  /** What it contains, in a few words. */
  readonly holds: string;
  /** How many files it represents. */
  readonly count: number;
  readonly instead: string;
}

export interface ForeignPlaces {
  /** Also read files that take long; a start does not. */
  readonly isThorough?: boolean;
  /** The working directory, and the workspace's root if that is a different folder. */
  readonly projects: readonly string[];
  readonly home: string;
}

/** The places for a session in this folder. */
export function foreignPlaces(cwd: string, personHome: string): ForeignPlaces {
  const home = realPathOf(personHome);
  return { projects: [cwd, findWorkspaceRoot(cwd, home)], home };
}

/** Finds files from the tables that would act, or instruct, elsewhere. Never throws; takes a tenth of a millisecond if there are none. */
export function findForeignFiles({
  projects,
  home,
  isThorough = false,
}: ForeignPlaces): readonly ForeignFile[] {
  // At home, a project's files are the person's own; those that matter are in the second table.
  const folders = [...new Set(projects)].filter((folder) => folder !== home);
  return [
    ...folders.flatMap((folder) =>
      lookFor(FOREIGN_PROJECT_FILES, folder, folder === projects[0] ? "" : `${folder}/`),
    ),
    ...lookFor(
      FOREIGN_HOME_FILES.filter(({ isLarge }) => isThorough || !isLarge),
      home,
      "~/",
    ),
  ];
}

function lookFor(rows: readonly ForeignRow[], base: string, prefix: string): readonly ForeignFile[] {
  return rows.flatMap(({ path, look, instead }): readonly ForeignFile[] => {
    const seen = tryLook(join(base, path), look);
    return seen === undefined ? [] : [{ path: join(base, path), label: prefix + path, instead, ...seen }];
  });
}

interface Seen {
  readonly holds: string;
  readonly count: number;
}

/** Describes what in a file would have an effect; undefined if nothing would. Throws what reading throws. */
type Look = (path: string) => Seen | string | undefined;

/** A row of the tables, which the guide repeats. */
export interface ForeignRow {
  readonly path: string;
  readonly look: Look;
  readonly instead: string;
  /** Contains another program's state, of which only a few lines matter. */
  readonly isLarge?: boolean;
}

const MAX_FILE_BYTES = 256 * 1024;
const MAX_STATE_BYTES = 16 * 1024 * 1024;
const MAX_FOLDER_ENTRIES = 1_000;

const SETTINGS =
  "put model, providers and permissions into ~/.indus/settings.json; an addon can do what hooks do";
const SERVERS = "indus does not start MCP servers; an addon can offer the same tools";
const RULES = "copy what matters into AGENTS.md, or import it there: @PATH";

const CLAUDE_KEYS: readonly string[] = [
  "hooks",
  "permissions",
  "env",
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "otelHeadersHelper",
  "statusLine",
  "enableAllProjectMcpServers",
  "enabledMcpjsonServers",
  "enabledPlugins",
  "extraKnownMarketplaces",
  "sandbox",
];
const GEMINI_KEYS: readonly string[] = ["hooks", "mcp", "mcpServers", "tools", "security"];
const OPENCODE_KEYS: readonly string[] = ["mcp", "plugin", "provider", "permission", "agent", "command"];

/** Files below a project. */
export const FOREIGN_PROJECT_FILES: readonly ForeignRow[] = [
  { path: ".mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".vscode/mcp.json", look: servers("servers"), instead: SERVERS },
  { path: ".cursor/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".cursor/hooks.json", look: keys(["hooks"]), instead: SETTINGS },
  { path: ".cursor/rules", look: folder("rule"), instead: RULES },
  { path: ".cursorrules", look: file("rules"), instead: RULES },
  { path: ".claude/settings.json", look: keys(CLAUDE_KEYS), instead: SETTINGS },
  { path: ".claude/settings.local.json", look: keys(CLAUDE_KEYS), instead: SETTINGS },
  { path: ".claude/rules", look: folder("rule"), instead: RULES },
  {
    path: ".claude-plugin",
    look: folder("file"),
    instead: "move a plugin's skills, commands and agents to .indus or .claude",
  },
  { path: ".gemini/settings.json", look: keys(GEMINI_KEYS), instead: SETTINGS },
  { path: ".gemini/commands", look: folder("command"), instead: "write it as .indus/commands/NAME.md" },
  { path: "GEMINI.md", look: file("instructions"), instead: RULES },
  { path: "QWEN.md", look: file("instructions"), instead: RULES },
  { path: "opencode.json", look: keys(OPENCODE_KEYS), instead: SETTINGS },
  {
    path: ".opencode",
    look: folder("entry", "entries"),
    instead: "move agents and commands to .indus/agents and .indus/commands",
  },
  { path: ".codex/config.toml", look: file("settings"), instead: SETTINGS },
  { path: ".github/copilot-instructions.md", look: file("instructions"), instead: RULES },
  { path: ".github/instructions", look: folder("rule"), instead: RULES },
  { path: ".github/prompts", look: folder("command"), instead: "write it as .indus/commands/NAME.md" },
  { path: ".windsurfrules", look: file("rules"), instead: RULES },
  { path: ".windsurf/rules", look: folder("rule"), instead: RULES },
  { path: ".clinerules", look: fileOrFolder("rule"), instead: RULES },
  { path: ".roo/rules", look: folder("rule"), instead: RULES },
  { path: ".continue/rules", look: folder("rule"), instead: RULES },
  { path: ".kiro/steering", look: folder("rule"), instead: RULES },
  { path: ".junie/guidelines.md", look: file("instructions"), instead: RULES },
  { path: ".aider.conf.yml", look: file("settings"), instead: SETTINGS },
];

/** Files below the home folder. */
export const FOREIGN_HOME_FILES: readonly ForeignRow[] = [
  { path: ".claude/settings.json", look: keys(CLAUDE_KEYS), instead: SETTINGS },
  { path: ".claude/settings.local.json", look: keys(CLAUDE_KEYS), instead: SETTINGS },
  { path: ".claude/rules", look: folder("rule"), instead: "copy what matters into ~/.indus/AGENTS.md" },
  { path: ".claude.json", look: servers("mcpServers", MAX_STATE_BYTES), instead: SERVERS, isLarge: true },
  { path: ".codex/config.toml", look: file("settings"), instead: SETTINGS },
  {
    path: ".codex/AGENTS.md",
    look: file("instructions"),
    instead: "copy what matters into ~/.indus/AGENTS.md",
  },
  { path: ".codex/prompts", look: folder("command"), instead: "move them to ~/.indus/commands" },
  { path: ".gemini/settings.json", look: keys(GEMINI_KEYS), instead: SETTINGS },
  {
    path: ".gemini/GEMINI.md",
    look: file("instructions"),
    instead: "copy what matters into ~/.indus/AGENTS.md",
  },
  { path: ".cursor/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".config/opencode/opencode.json", look: keys(OPENCODE_KEYS), instead: SETTINGS },
  {
    path: ".config/opencode/AGENTS.md",
    look: file("instructions"),
    instead: "copy what matters into ~/.indus/AGENTS.md",
  },
];

function tryLook(path: string, look: Look): Seen | undefined {
  try {
    // Most folders have none of these files; checking first is cheaper than an error for each.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const seen = stats.isSymbolicLink() ? "not read: it is a symlink" : look(path);
    return typeof seen === "string" ? { holds: seen, count: 1 } : seen;
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined; // `.claude` is a file, so nothing is below it
    return { holds: `not read: ${errorCode(error) ?? describeError(error)}`, count: 1 }; // only the code: the message repeats the path
  }
}

function file(what: string): Look {
  return (path) => (lstatSync(path).isFile() ? what : undefined);
}

function folder(one: string, many: string = `${one}s`): Look {
  return (path) => {
    if (!lstatSync(path).isDirectory()) return undefined;
    const count = countEntries(path);
    return count === 0 ? undefined : { holds: `${count} ${count === 1 ? one : many}`, count };
  };
}

/** Stops counting at a limit: a repository can contain any number. */
function countEntries(path: string): number {
  const entries = opendirSync(path);
  try {
    let count = 0;
    while (count < MAX_FOLDER_ENTRIES && entries.readSync() !== null) count++;
    return count;
  } finally {
    entries.closeSync();
  }
}

function fileOrFolder(one: string): Look {
  return (path) => file(`${one}s`)(path) ?? folder(one)(path);
}

function keys(acting: readonly string[]): Look {
  return (path) => {
    const content = readObject(path);
    if (content === undefined) return "not read: it is not JSON";
    const found = acting.filter((key) => Object.hasOwn(content, key));
    return found.length === 0 ? undefined : found.join(", ");
  };
}

function servers(key: string, maxBytes: number = MAX_FILE_BYTES): Look {
  return (path) => {
    const content = readObject(path, maxBytes);
    if (content === undefined) return "not read: it is not JSON";
    const listed = Object.hasOwn(content, key) ? content[key] : undefined;
    if (typeof listed !== "object" || listed === null) return undefined;
    const count = Object.keys(listed).length;
    return count === 0 ? undefined : { holds: `${count} MCP server${count === 1 ? "" : "s"}`, count: 1 };
  };
}

function readObject(
  path: string,
  maxBytes: number = MAX_FILE_BYTES,
): Readonly<Record<string, unknown>> | undefined {
  const text = readBoundedFile(path, maxBytes).toString("utf8");
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the caller reports that it is not JSON
  }
}
