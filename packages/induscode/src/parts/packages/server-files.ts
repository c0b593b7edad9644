// The files in which other agents list a project's MCP servers. Every start looks whether one is there, so this loads nothing.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CLIENT_FILES } from "../../store/private-files.ts";

/** What a team has: see `team-lock`. */
export const TEAM_LOCK = ".indus/packages.lock";

/** Those that are in this folder. */
export function serverFilesIn(folder: string): readonly string[] {
  return CLIENT_FILES.filter((name) => existsSync(join(folder, name)));
}

/** Whether the folder names anything that a person could be asked about. */
export function namesPackages(folder: string): boolean {
  return serverFilesIn(folder).length > 0 || existsSync(join(folder, TEAM_LOCK));
}

/** Agents keep such files in folders of their own; what they name is relative to the project. */
const OF_AGENTS: ReadonlySet<string> = new Set([".vscode", ".cursor", ".gemini", ".codex"]);

/** The folder that a file's paths are relative to. */
export function baseOfServers(path: string): string {
  const folder = dirname(path);
  return OF_AGENTS.has(basename(folder)) ? dirname(folder) : folder;
}
