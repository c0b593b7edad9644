// Which files of a collection are skills, commands, agents and output styles, by their names and the folders that other agents keep them in, and where
// such a folder is.

import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { SERVER_FILES } from "../../addons/source/read-plugin.ts";
import { TEXT_ABOUT } from "../../briefing/agent-file.ts";
import { AGENT_FOLDERS } from "../../briefing/agent-files.ts";
import { COMMAND_FOLDERS } from "../../briefing/macro-files.ts";
import { STYLE_FOLDERS } from "../../briefing/output-styles.ts";
import { SKILL_MANIFEST } from "../../briefing/skill-check.ts";
import { isDescribed, SKILL_FOLDERS } from "../../briefing/skills.ts";

export type CountedKind = "skills" | "commands" | "agents" | "styles" | "hooks" | "servers";

export interface CountedFile {
  readonly kind: CountedKind;
  /** The folder of its kind. */
  readonly place: string;
}

const HOOK_FILES: ReadonlySet<string> = new Set(["hooks.json", "settings.json", "settings.local.json"]);
const KIND_FOLDERS: ReadonlyMap<string, CountedKind> = new Map([
  ["skills", "skills"],
  ["commands", "commands"],
  ["prompts", "commands"],
  ["agents", "agents"],
  ["subagents", "agents"],
  ["chatmodes", "agents"],
  ["output-styles", "styles"],
]);
/** Under an agent's own folder only: elsewhere they are common words. */
const SINGULAR_FOLDERS: ReadonlyMap<string, CountedKind> = new Map([
  ["command", "commands"],
  ["agent", "agents"],
]);
const READ_FOLDERS: Readonly<Record<"skills" | "commands" | "agents" | "styles", readonly string[]>> = {
  skills: SKILL_FOLDERS,
  commands: COMMAND_FOLDERS,
  agents: AGENT_FOLDERS,
  styles: STYLE_FOLDERS,
};

/** Undefined for a file that is none of them. */
export function countedFile(root: string, path: string): CountedFile | undefined {
  const name = basename(path);
  const folder = dirname(path);
  if (HOOK_FILES.has(name)) return { kind: "hooks", place: folder };
  if (SERVER_FILES.includes(name)) return { kind: "servers", place: folder };
  const below = kindFolder(root, folder);
  if (name === SKILL_MANIFEST)
    return { kind: "skills", place: below?.kind === "skills" ? below.place : dirname(folder) };
  if (isInSkill(root, folder)) return undefined;
  if (/\.(?:agent|chatmode)\.md$/i.test(name)) return { kind: "agents", place: below?.place ?? folder };
  if (/\.prompt\.md$/i.test(name)) return { kind: "commands", place: below?.place ?? folder };
  return below !== undefined && isOfKind(path, below) ? below : undefined;
}

/** Below its folder, as a name in a namespace, and why it is not read there: it can be `most` folders deep. */
export function nameInFolder(
  path: string,
  place: string,
  most: number,
): { readonly name: string; readonly problem?: string | undefined } {
  const parts = relative(place, path).split(sep);
  const name = parts.join(":").replace(/\.md$/i, "").toLowerCase();
  const isDeep = parts.length - 1 > most;
  return { name, problem: isDeep ? `it is more than ${most} folders deep` : undefined };
}

/** Whether a session reads a folder of that name where it is, or as a part of its plugin. */
export function isReadPlace(place: string, kind: CountedKind): boolean {
  if (kind === "hooks" || kind === "servers") return false;
  const name = `${basename(dirname(place))}/${basename(place)}`;
  return READ_FOLDERS[kind].includes(name) || isPluginPart(place);
}

/** It comes with a plugin, whose commands have its name before theirs where they need it. */
export function isPluginPart(place: string): boolean {
  return existsSync(join(dirname(place), ".claude-plugin/plugin.json"));
}

function isOfKind(path: string, { kind, place }: CountedFile): boolean {
  const name = basename(path);
  const isMarkdown = /\.md$/i.test(name);
  if (kind === "styles") return isMarkdown && !/^readme/i.test(name);
  if (kind === "agents") return isMarkdown || /\.(?:toml|ya?ml)$/i.test(name);
  if (kind === "commands") {
    if (/^readme/i.test(name)) return false;
    const isTold = isMarkdown || /\.toml$/i.test(name);
    return isTold && (basename(place) !== "prompts" || isAgentFolder(dirname(place)) || isDescribed(path));
  }
  if (!isMarkdown || TEXT_ABOUT.test(name)) return false;
  return dirname(path) === place || name.toUpperCase() === SKILL_MANIFEST.toUpperCase() || isDescribed(path);
}

/**
 * The folder of a kind that a file belongs to: in an agent's own folder (`.claude`) the outermost of these, as what is below is a
 * namespace; otherwise the innermost, and where such folders follow each other directly, the first of them.
 */
function kindFolder(root: string, folder: string): CountedFile | undefined {
  const folders = [root];
  for (const part of relative(root, folder).split(sep))
    if (part !== "") folders.push(join(folders.at(-1) ?? root, part));
  const kinds = folders.map(kindOfFolder);
  const own = folders.findLastIndex(isAgentFolder);
  let at = own === -1 ? -1 : kinds.findIndex((kind, index) => index > own && kind !== undefined);
  if (at === -1) {
    at = kinds.findLastIndex((kind) => kind !== undefined);
    while (at > 0 && kinds[at - 1] !== undefined) at--;
  }
  const [kind, place] = [kinds[at], folders[at]];
  return kind === undefined || place === undefined ? undefined : { kind, place };
}

function kindOfFolder(folder: string): CountedKind | undefined {
  const name = basename(folder);
  return KIND_FOLDERS.get(name) ?? (isAgentFolder(dirname(folder)) ? SINGULAR_FOLDERS.get(name) : undefined);
}

/** `.claude`, `.github`, `opencode`, … */
function isAgentFolder(folder: string): boolean {
  const name = basename(folder);
  return (name.startsWith(".") && name.length > 1) || name === "opencode";
}

function isInSkill(root: string, folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, SKILL_MANIFEST))) return true;
    if (at === root || at === dirname(at)) return false;
  }
}
