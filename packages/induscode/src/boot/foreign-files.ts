// Files in a working directory that start programs or grant rights elsewhere, and do nothing here: a person
// who knows them from another program is told so once (invariant: what is untrusted is skipped, and said so).

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { readBoundedFile } from "../addons/bounded-file.ts";

/**
 * One line that names every such file in `cwd`, or none. Only file names and keys of the table below are told, no text of
 * the repository. Not meant for the person's own home folder. Never throws; a twentieth of a millisecond where nothing lies.
 */
export function foreignNotices(cwd: string): readonly string[] {
  const found = FOREIGN_FILES.flatMap(({ path, holds }): readonly string[] => {
    const what = tryLook(join(cwd, path), holds);
    return what === undefined ? [] : [`${path} (${what})`];
  });
  return found.length === 0 ? [] : [`not used here, and nothing in it runs: ${found.join(", ")}`];
}

/** What a file holds that would act, in a few words; undefined when nothing in it would. Throws what reading throws. */
type Look = (path: string) => string | undefined;

interface ForeignFile {
  /** Below the working directory. */
  readonly path: string;
  readonly holds: Look;
}

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

const FOREIGN_FILES: readonly ForeignFile[] = [
  { path: ".mcp.json", holds: servers("mcpServers") },
  { path: ".vscode/mcp.json", holds: servers("servers") },
  { path: ".cursor/mcp.json", holds: servers("mcpServers") },
  { path: ".cursor/hooks.json", holds: keys(["hooks"]) },
  { path: ".claude/settings.json", holds: keys(CLAUDE_KEYS) },
  { path: ".claude/settings.local.json", holds: keys(CLAUDE_KEYS) },
  { path: ".gemini/settings.json", holds: keys(["hooks", "mcp", "mcpServers", "tools", "security"]) },
  { path: "opencode.json", holds: keys(["mcp", "plugin", "provider", "permission", "agent", "command"]) },
  { path: ".codex/config.toml", holds: () => "settings" },
];

const MAX_FILE_BYTES = 256 * 1024;

function tryLook(path: string, look: Look): string | undefined {
  try {
    // Most folders hold none of the files; asking first is cheaper than an error for each.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return stats.isSymbolicLink() ? "not read: it is a link" : look(path);
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined; // `.claude` is a file: nothing of that name is there
    return `not read: ${errorCode(error) ?? describeError(error)}`; // the code alone: the message repeats the path
  }
}

function keys(acting: readonly string[]): Look {
  return (path) => {
    const content = readObject(path);
    if (content === undefined) return "not read: it is not JSON";
    const found = acting.filter((key) => Object.hasOwn(content, key));
    return found.length === 0 ? undefined : found.join(", ");
  };
}

function servers(key: string): Look {
  return (path) => {
    const content = readObject(path);
    if (content === undefined) return "not read: it is not JSON";
    const listed = Object.hasOwn(content, key) ? content[key] : undefined;
    if (typeof listed !== "object" || listed === null) return undefined;
    return counted(Object.keys(listed).length, "MCP server");
  };
}

function readObject(path: string): Readonly<Record<string, unknown>> | undefined {
  const text = readBoundedFile(path, MAX_FILE_BYTES).toString("utf8");
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the caller says that it is not JSON
  }
}

function counted(count: number, thing: string): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
