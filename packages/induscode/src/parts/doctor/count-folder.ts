// `indus doctor --count FOLDER`: what of a folder full of other agents' files would come in here, counted by the readers that a session
// uses: what loads, what is told and why, and what neither happens to.

import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describeError, isTable } from "indusagi/core";
import { importServer, serversOf } from "../../addons/author/import-server.ts";
import { readHooks } from "../../addons/runners/hooks/hook-table.ts";
import { readAgentFile } from "../../briefing/agent-file.ts";
import { readMacroFile } from "../../briefing/macro-files.ts";
import { checkSkill, SKILL_MANIFEST } from "../../briefing/skill-check.ts";
import { readTextFile } from "../../briefing/text-file.ts";
import { commentedJson } from "../../store/json.ts";

/** What became of one thing. */
interface Counted {
  /** As a reason, without the names of files. */
  readonly why?: string | undefined;
  readonly end: "loads" | "loads with a remark" | "told" | "silent";
}

export interface KindCount {
  readonly kind: string;
  readonly all: number;
  readonly loads: number;
  readonly remarks: number;
  readonly told: number;
  readonly silent: number;
  /** Reasons of what does not load, with their numbers, the most frequent first. */
  readonly reasons: readonly (readonly [why: string, count: number])[];
}

export interface FolderCount {
  readonly kinds: readonly KindCount[];
  readonly all: number;
  /** Of all, in percent: what loads, or is told. */
  readonly percent: number;
  /** Whether all of the folder was looked at: it has no more entries or levels than that, and none of it is closed. */
  readonly isWhole: boolean;
}

const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 16;
const MAX_BYTES: number = 4 * 1024 * 1024;
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);
const SERVER_FILES: ReadonlySet<string> = new Set([".mcp.json", "mcp.json"]);
const HOOK_FILES: ReadonlySet<string> = new Set(["hooks.json", "settings.json", "settings.local.json"]);

export function countFolder(folder: string): FolderCount {
  const kinds = new Map<string, Counted[]>(
    ["skills", "commands", "agents", "hooks", "servers"].map((kind) => [kind, []]),
  );
  const add = (kind: string, ...found: readonly Counted[]): void => void kinds.get(kind)?.push(...found);
  let left = MAX_ENTRIES;
  let isWhole = true;
  walk(folder, 0);
  const rows = [...kinds].map(([kind, found]) => summed(kind, found));
  const all = rows.reduce((sum, row) => sum + row.all, 0);
  const silent = rows.reduce((sum, row) => sum + row.silent, 0);
  const percent = all === 0 ? 100 : Math.floor((1_000 * (all - silent)) / all) / 10;
  return { kinds: rows, all, percent, isWhole };

  function walk(place: string, depth: number): void {
    const entries = entriesOf(place);
    if (entries === undefined || entries.length > left) isWhole = false;
    for (const entry of entries ?? []) {
      if (--left < 0) return;
      const path = join(place, entry.name);
      if (entry.isDirectory()) {
        if (LEFT_OUT.has(entry.name)) continue;
        if (depth < MAX_DEPTH) walk(path, depth + 1);
        else isWhole = false;
      } else if (entry.isFile()) count(path, entry.name);
    }
  }

  function count(path: string, name: string): void {
    if (name === SKILL_MANIFEST) add("skills", skill(path));
    else if (/\.agent\.md$/i.test(name) || (isIn(path, "agents") && /\.(?:md|toml)$/i.test(name))) {
      if (!isText(name)) add("agents", agent(path));
    } else if (isIn(path, "commands") && /\.md$/i.test(name) && !isText(name)) add("commands", command(path));
    else if (HOOK_FILES.has(name)) add("hooks", ...hooksIn(path));
    else if (SERVER_FILES.has(name)) add("servers", ...serversIn(path));
  }
}

/** Below a folder of that name, and not among the files of a skill. */
function isIn(path: string, kind: string): boolean {
  for (let folder = dirname(path), isBelow = false; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, SKILL_MANIFEST))) return false;
    isBelow ||= basename(folder) === kind;
    if (isBelow && basename(folder) !== kind) return true;
  }
  return false;
}

/** About the others, and none of them. */
function isText(name: string): boolean {
  return /^(?:readme|contributing|changelog|license|index)\b/i.test(name);
}

function skill(path: string): Counted {
  const file = readTextFile(path, MAX_BYTES);
  if (!file.ok) return { end: "told", why: file.problem };
  const check = checkSkill(file.text, { path, shape: "packaged", anyName: true });
  if (check.kind === "skipped") return { end: "silent", why: check.detail };
  if (check.kind !== "ok") return { end: "told", why: check.detail };
  return { end: check.warnings.length > 0 ? "loads with a remark" : "loads" };
}

function command(path: string): Counted {
  const read = readMacroFile(path, "path");
  if (!read.ok) return { end: "told", why: without(path, read.fault.message) };
  return { end: read.diagnostics.length > 0 ? "loads with a remark" : "loads" };
}

function agent(path: string): Counted {
  const read = readAgentFile(path, "path");
  if (read === undefined) return { end: "silent", why: "it has no header" };
  if (!read.ok) return { end: "told", why: without(path, read.fault.message) };
  return { end: read.diagnostics.length > 0 ? "loads with a remark" : "loads" };
}

function hooksIn(path: string): readonly Counted[] {
  const { hooks } = tableIn(path) ?? {};
  if (!isTable(hooks))
    return basename(path) === "hooks.json" ? [{ end: "told", why: "it has no hooks" }] : [];
  const { commands, unused } = readHooks(hooks);
  return [
    ...commands.map((): Counted => ({ end: "loads" })),
    ...unused.map((why): Counted => ({ end: "told", why })),
  ];
}

function serversIn(path: string): readonly Counted[] {
  const content = tableIn(path);
  if (content === undefined) return [{ end: "told", why: "it is not JSON" }];
  return Object.keys(serversOf(content)).map((name): Counted => {
    const read = importServer(content, name, path);
    if (!read.ok) return { end: "told", why: without(path, read.problem).replaceAll(name, "NAME") };
    return { end: read.notes.length > 0 ? "loads with a remark" : "loads" };
  });
}

function tableIn(path: string): Readonly<Record<string, unknown>> | undefined {
  const file = readTextFile(path, MAX_BYTES);
  const content = file.ok ? commentedJson(file.text) : undefined;
  return isTable(content) ? content : undefined;
}

function without(path: string, message: string): string {
  return message.replaceAll(path, "it").replace(/^(?:macro|agent|skill) invalid: /, "");
}

/** Undefined if it cannot be read, which is said. */
function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    process.stderr.write(`indus: ${folder} is not counted: ${describeError(error)}\n`);
    return undefined;
  }
}

function summed(kind: string, found: readonly Counted[]): KindCount {
  const of = (end: Counted["end"]): number => found.filter((each) => each.end === end).length;
  const reasons = new Map<string, number>();
  for (const { end, why } of found)
    if (why !== undefined) reasons.set(`${end}: ${why}`, (reasons.get(`${end}: ${why}`) ?? 0) + 1);
  return {
    kind,
    all: found.length,
    loads: of("loads") + of("loads with a remark"),
    remarks: of("loads with a remark"),
    told: of("told"),
    silent: of("silent"),
    reasons: [...reasons].sort(([, one], [, other]) => other - one),
  };
}
