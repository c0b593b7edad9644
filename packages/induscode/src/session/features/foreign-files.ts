// Files of other agents that have no effect here: a person who knows them from there is shown which ones, and what to do instead.

import { lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode, isTable, readBoundedFile } from "indusagi/core";
import { realPathOf } from "../../briefing/text-file.ts";
import { findWorkspaceRoot } from "../../briefing/workspace-root.ts";
import { type HomePlaces, inHome } from "../../store/home.ts";
import { commentedJson } from "../../store/json.ts";

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
  /** The product's own; default `<home>/.indus`. */
  readonly indusHome?: string | undefined;
  /** Real paths of what is read here after all, because a document imports it; `PATH#SERVER` for a server of a file that was added. */
  readonly used?: readonly string[];
}

/** The places for a session in this folder. */
export function foreignPlaces(
  cwd: string,
  { home: indusHome, personHome }: HomePlaces,
  used: readonly string[],
): ForeignPlaces {
  const home = realPathOf(personHome);
  return { projects: [cwd, findWorkspaceRoot(cwd, home)], home, indusHome, used };
}

/** Finds files from the tables that would act, or instruct, elsewhere. Never throws; takes a tenth of a millisecond if there are none. */
export function findForeignFiles({
  projects,
  home,
  indusHome = join(home, ".indus"),
  isThorough = false,
  used: paths = [],
}: ForeignPlaces): readonly ForeignFile[] {
  // At home, a project's files are the person's own; those that matter are in the second table.
  const used = new Set(paths);
  const folders = [...new Set(projects)].filter((folder) => folder !== home);
  return [
    ...folders.flatMap((folder) =>
      lookFor(FOREIGN_PROJECT_FILES, folder, { used, prefix: folder === projects[0] ? "" : `${folder}/` }),
    ),
    ...lookFor(
      FOREIGN_HOME_FILES.filter(({ isLarge }) => isThorough || !isLarge),
      home,
      { used, prefix: "~/" },
    ),
  ].map((found) => ({
    ...found,
    instead: inHome(found.instead, { home: indusHome, personHome: home }),
  }));
}

function lookFor(
  rows: readonly ForeignRow[],
  base: string,
  { used, prefix }: { readonly used: ReadonlySet<string>; readonly prefix: string },
): readonly ForeignFile[] {
  return rows.flatMap(({ path, look, instead }): readonly ForeignFile[] => {
    const seen = tryLook(join(base, path), look, used);
    return seen === undefined ? [] : [{ path: join(base, path), label: prefix + path, instead, ...seen }];
  });
}

interface Seen {
  readonly holds: string;
  readonly count: number;
}

/** Describes what in a file would have an effect; undefined if nothing would. Throws what reading throws. */
type Look = (path: string, used: ReadonlySet<string>) => Seen | string | undefined;

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
const SETTINGS_WITH_SERVERS = `${SETTINGS}; indus add FILE adds its MCP servers, each confined, after a question`;
const CLAUDE_SETTINGS =
  "put model, outputStyle and providers into ~/.indus/settings.json; indus permissions import FILE imports its permissions, and indus add FILE adds its hooks, each after a question";
const SERVERS =
  "indus does not start them by itself: indus add FILE adds each one, confined, after a question";
const RULES = "copy what matters into AGENTS.md, or import it there: @PATH";
const OWN_RULES = "copy what matters into ~/.indus/AGENTS.md";
const PERMISSIONS = "write its rules as permissions in ~/.indus/settings.json";
const IGNORED = "to keep files from the model, deny them in ~/.indus/settings.json: Read(PATH)";
const HOOKS = "an addon can do what hooks do: indus addon new";
const COMMANDS = "write each as .indus/commands/NAME.md";
const OWN_COMMANDS = "write each as ~/.indus/commands/NAME.md";
const AGENTS = "write each as .indus/agents/NAME.md";
const OWN_AGENTS = "write each as ~/.indus/agents/NAME.md";
const SKILLS = "move them to .agents/skills";
const OWN_SKILLS = "move them to ~/.agents/skills";
const PLUGIN = "move a plugin's skills, commands and agents to .indus or .claude";
const PLUGIN_HERE = "indus add FOLDER adds a plugin, confined, after a question";
const CODE = "an addon can do the same: indus addon new";

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
  "outputStyle",
  "agent",
];
const GEMINI_KEYS: readonly string[] = [
  ...["hooks", "mcp", "mcpServers", "tools", "security", "context", "policyPaths"],
  ...["contextFileName", "coreTools", "excludeTools", "allowedTools"], // of earlier editions
];
const OPENCODE_KEYS: readonly string[] = [
  ...["mcp", "plugin", "plugins", "provider", "permission", "permissions", "instructions", "tools"],
  ...["agent", "agents", "mode", "command", "commands", "skills"],
];
const CRUSH_KEYS: readonly string[] = ["mcp", "hooks", "permissions", "providers", "options"];

/** Files below a project. */
export const FOREIGN_PROJECT_FILES: readonly ForeignRow[] = [
  { path: ".mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".vscode/mcp.json", look: servers("servers"), instead: SERVERS },
  { path: ".cursor/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".roo/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".kiro/settings/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".amazonq/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".cursor/hooks.json", look: keys(["hooks"]), instead: SETTINGS },
  { path: ".cursor/commands", look: folder("command"), instead: COMMANDS },
  { path: ".cursor/agents", look: folder("agent"), instead: AGENTS },
  { path: ".cursor/skills", look: folder("skill"), instead: SKILLS },
  { path: ".cursorrules", look: file("rules"), instead: RULES },
  { path: ".cursorignore", look: file("ignored paths"), instead: IGNORED },
  { path: ".claude/settings.json", look: keys(CLAUDE_KEYS), instead: CLAUDE_SETTINGS },
  { path: ".claude/settings.local.json", look: keys(CLAUDE_KEYS), instead: CLAUDE_SETTINGS },
  { path: ".claude-plugin", look: folder("file"), instead: PLUGIN_HERE },
  { path: ".gemini/settings.json", look: keys(GEMINI_KEYS), instead: SETTINGS_WITH_SERVERS },
  { path: ".gemini/commands", look: folder("command"), instead: COMMANDS },
  { path: ".gemini/agents", look: folder("agent"), instead: AGENTS },
  { path: ".gemini/skills", look: folder("skill"), instead: SKILLS },
  { path: ".gemini/policies", look: folder("file"), instead: PERMISSIONS },
  { path: ".gemini/extensions", look: folder("extension"), instead: PLUGIN },
  { path: "gemini-extension.json", look: file("an extension"), instead: PLUGIN },
  { path: "GEMINI.md", look: file("instructions"), instead: RULES },
  { path: ".geminiignore", look: file("ignored paths"), instead: IGNORED },
  { path: ".aiexclude", look: file("ignored paths"), instead: IGNORED },
  { path: "QWEN.md", look: file("instructions"), instead: RULES },
  { path: ".qwen", look: folder("entry", "entries"), instead: SETTINGS },
  { path: "opencode.json", look: keys(OPENCODE_KEYS), instead: SETTINGS_WITH_SERVERS },
  { path: "opencode.jsonc", look: keys(OPENCODE_KEYS), instead: SETTINGS_WITH_SERVERS },
  {
    path: ".opencode",
    look: folder("entry", "entries"),
    instead: "move agents and commands to .indus/agents and .indus/commands",
  },
  { path: ".codex/config.toml", look: file("settings"), instead: SETTINGS_WITH_SERVERS },
  { path: ".codex/hooks.json", look: file("hooks"), instead: HOOKS },
  { path: ".codex/agents", look: folder("agent"), instead: AGENTS },
  { path: ".codex/skills", look: folder("skill"), instead: SKILLS },
  { path: ".codex-plugin", look: folder("file"), instead: PLUGIN },
  { path: ".agents/plugins", look: folder("entry", "entries"), instead: PLUGIN },
  { path: ".agents/hooks.json", look: file("hooks"), instead: HOOKS },
  { path: ".goosehints", look: file("instructions"), instead: RULES },
  { path: ".gooseignore", look: file("ignored paths"), instead: IGNORED },
  {
    path: ".pi",
    look: folder("entry", "entries"),
    instead: "move skills to .agents/skills and prompts to .indus/commands",
  },
  { path: "crush.json", look: keys(CRUSH_KEYS), instead: SETTINGS },
  { path: ".crush.json", look: keys(CRUSH_KEYS), instead: SETTINGS },
  { path: "CRUSH.md", look: file("instructions"), instead: RULES },
  { path: "WARP.md", look: file("instructions"), instead: RULES },
  { path: ".augment-guidelines", look: file("instructions"), instead: RULES },
  { path: ".augment/rules", look: folder("rule"), instead: RULES },
  { path: ".trae/rules", look: folder("rule"), instead: RULES },
  { path: ".amazonq/rules", look: folder("rule"), instead: RULES },
  { path: ".idx/airules.md", look: file("rules"), instead: RULES },
  { path: ".junie/AGENTS.md", look: file("instructions"), instead: RULES },
  { path: ".openhands/microagents", look: folder("instruction"), instead: RULES },
  { path: ".github/agents", look: folder("agent"), instead: AGENTS },
  { path: ".github/skills", look: folder("skill"), instead: SKILLS },
  { path: "AGENT.md", look: file("instructions"), instead: "rename it to AGENTS.md" },
  { path: ".rules", look: file("rules"), instead: RULES },
  { path: ".github/copilot-instructions.md", look: file("instructions"), instead: RULES },
  { path: ".github/prompts", look: folder("command"), instead: COMMANDS },
  { path: ".windsurfrules", look: file("rules"), instead: RULES },
  { path: ".windsurf/rules", look: folder("rule"), instead: RULES },
  { path: ".clinerules", look: fileOrFolder("rule"), instead: RULES },
  { path: ".roo/rules", look: folder("rule"), instead: RULES },
  { path: ".roorules", look: file("rules"), instead: RULES },
  { path: ".continue/rules", look: folder("rule"), instead: RULES },
  { path: ".kiro/steering", look: folder("rule"), instead: RULES },
  { path: ".junie/guidelines.md", look: file("instructions"), instead: RULES },
  { path: ".aider.conf.yml", look: file("settings"), instead: SETTINGS },
];

/** Files below the home folder. */
export const FOREIGN_HOME_FILES: readonly ForeignRow[] = [
  { path: ".claude/settings.json", look: keys(CLAUDE_KEYS), instead: CLAUDE_SETTINGS },
  { path: ".claude/settings.local.json", look: keys(CLAUDE_KEYS), instead: CLAUDE_SETTINGS },
  { path: ".claude.json", look: stateServers, instead: SERVERS, isLarge: true },
  { path: ".codex/config.toml", look: file("settings"), instead: SETTINGS_WITH_SERVERS },
  { path: ".codex/hooks.json", look: file("hooks"), instead: HOOKS },
  { path: ".codex/AGENTS.md", look: file("instructions"), instead: OWN_RULES },
  { path: ".codex/prompts", look: folder("command"), instead: "move them to ~/.indus/commands" },
  { path: ".codex/agents", look: folder("agent"), instead: OWN_AGENTS },
  { path: ".codex/skills", look: folder("skill"), instead: OWN_SKILLS },
  { path: ".gemini/settings.json", look: keys(GEMINI_KEYS), instead: SETTINGS_WITH_SERVERS },
  { path: ".gemini/GEMINI.md", look: file("instructions"), instead: OWN_RULES },
  { path: ".gemini/commands", look: folder("command"), instead: OWN_COMMANDS },
  { path: ".gemini/agents", look: folder("agent"), instead: OWN_AGENTS },
  { path: ".gemini/skills", look: folder("skill"), instead: OWN_SKILLS },
  { path: ".gemini/policies", look: folder("file"), instead: PERMISSIONS },
  { path: ".gemini/extensions", look: folder("extension"), instead: PLUGIN },
  { path: ".qwen/settings.json", look: keys(GEMINI_KEYS), instead: SETTINGS_WITH_SERVERS },
  { path: ".cursor/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".config/Claude/claude_desktop_config.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".config/Code/User/mcp.json", look: servers("servers"), instead: SERVERS },
  { path: ".codeium/windsurf/mcp_config.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".copilot/mcp-config.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".lmstudio/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".kiro/settings/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".aws/amazonq/mcp.json", look: servers("mcpServers"), instead: SERVERS },
  { path: ".cursor/hooks.json", look: keys(["hooks"]), instead: SETTINGS },
  { path: ".cursor/skills", look: folder("skill"), instead: OWN_SKILLS },
  { path: ".config/opencode/opencode.json", look: keys(OPENCODE_KEYS), instead: SETTINGS_WITH_SERVERS },
  { path: ".config/opencode/opencode.jsonc", look: keys(OPENCODE_KEYS), instead: SETTINGS_WITH_SERVERS },
  { path: ".config/opencode/AGENTS.md", look: file("instructions"), instead: OWN_RULES },
  { path: ".config/opencode/agent", look: folder("agent"), instead: OWN_AGENTS },
  { path: ".config/opencode/agents", look: folder("agent"), instead: OWN_AGENTS },
  { path: ".config/opencode/command", look: folder("command"), instead: OWN_COMMANDS },
  { path: ".config/opencode/commands", look: folder("command"), instead: OWN_COMMANDS },
  { path: ".config/opencode/skills", look: folder("skill"), instead: OWN_SKILLS },
  { path: ".config/opencode/plugin", look: folder("plugin"), instead: CODE },
  { path: ".config/opencode/plugins", look: folder("plugin"), instead: CODE },
  { path: ".config/goose/config.yaml", look: file("settings"), instead: SETTINGS },
  { path: ".config/goose/.goosehints", look: file("instructions"), instead: OWN_RULES },
  { path: ".config/crush/crush.json", look: keys(CRUSH_KEYS), instead: SETTINGS },
  { path: ".agents/plugins", look: folder("entry", "entries"), instead: PLUGIN },
  { path: ".agents/hooks.json", look: file("hooks"), instead: HOOKS },
  { path: ".pi/agent/AGENTS.md", look: file("instructions"), instead: OWN_RULES },
  { path: ".pi/agent/skills", look: folder("skill"), instead: OWN_SKILLS },
  { path: ".pi/agent/prompts", look: folder("command"), instead: "move them to ~/.indus/commands" },
  { path: ".pi/agent/extensions", look: folder("extension"), instead: CODE },
];

function tryLook(path: string, look: Look, used: ReadonlySet<string>): Seen | undefined {
  try {
    // Most folders have none of these files; checking first is cheaper than an error for each.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || (used.size > 0 && used.has(realPathOf(path)))) return undefined;
    const seen = stats.isSymbolicLink() ? "not read: it is a symlink" : look(path, used);
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
  return (path, used) => {
    if (!lstatSync(path).isDirectory()) return undefined;
    const count = countEntries(path, used);
    return count === 0 ? undefined : { holds: `${count} ${count === 1 ? one : many}`, count };
  };
}

/** Without dotfiles and what is used. Stops counting at a limit: a repository can contain any number. */
function countEntries(path: string, used: ReadonlySet<string>): number {
  const realPath = realPathOf(path);
  const entries = opendirSync(path);
  try {
    let count = 0;
    for (let left = 2 * MAX_FOLDER_ENTRIES; left > 0 && count < MAX_FOLDER_ENTRIES; left--) {
      const entry = entries.readSync();
      if (entry === null) break;
      if (!entry.name.startsWith(".") && !used.has(join(realPath, entry.name))) count++;
    }
    return count;
  } finally {
    entries.closeSync();
  }
}

function fileOrFolder(one: string): Look {
  return (path, used) => file(`${one}s`)(path, used) ?? folder(one)(path, used);
}

function keys(acting: readonly string[]): Look {
  return (path) => {
    const content = readObject(path);
    if (content === undefined) return "not read: it is not JSON";
    const found = acting.filter((key) => Object.hasOwn(content, key));
    return found.length === 0 ? undefined : found.join(", ");
  };
}

/** Servers under a key; in a file without that key, whatever is one: `.mcp.json` has both forms. */
function servers(key: string): Look {
  return (path, used) => {
    const content = readObject(path);
    if (content === undefined) return "not read: it is not JSON";
    const servers = Object.entries(content).filter(([, each]) => isServer(each));
    const listed = Object.hasOwn(content, key) ? content[key] : Object.fromEntries(servers);
    return seenServers(unusedNames(listed, path, used));
  };
}

/** The person's servers, and those of each project, which is where they are added by default. */
function stateServers(path: string, used: ReadonlySet<string>): ReturnType<Look> {
  const content = readObject(path, MAX_STATE_BYTES);
  if (content === undefined) return "not read: it is not JSON";
  const projects = isTable(content.projects) ? Object.values(content.projects) : [];
  const states = [content, ...projects.filter(isTable)];
  return seenServers(states.reduce((sum, { mcpServers }) => sum + unusedNames(mcpServers, path, used), 0));
}

function seenServers(count: number): Seen | undefined {
  return count === 0 ? undefined : { holds: `${count} MCP server${count === 1 ? "" : "s"}`, count: 1 };
}

/** How many of the servers were not added. */
function unusedNames(listed: unknown, path: string, used: ReadonlySet<string>): number {
  const names = typeof listed === "object" && listed !== null ? Object.keys(listed) : [];
  return names.filter((name) => !used.has(`${path}#${name}`)).length;
}

function isServer(value: unknown): boolean {
  return isTable(value) && (typeof value.command === "string" || typeof value.url === "string");
}

function readObject(
  path: string,
  maxBytes: number = MAX_FILE_BYTES,
): Readonly<Record<string, unknown>> | undefined {
  const content = commentedJson(readBoundedFile(path, maxBytes).toString("utf8"));
  return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
}
