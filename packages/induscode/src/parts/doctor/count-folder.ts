// `indus doctor --count FOLDER`: what of a folder full of other agents' files would come in here, counted by the readers that a session
// uses, as if each lay in a folder that a session reads: what loads, what is told and why, and what neither happens to.

import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describeError, isTable } from "indusagi/core";
import { importServer, serversOf } from "../../addons/author/import-server.ts";
import { readHooks } from "../../addons/runners/hooks/hook-table.ts";
import { readAgentFile } from "../../briefing/agent-file.ts";
import { MAX_AGENT_FOLDERS } from "../../briefing/agent-files.ts";
import { MAX_NAMESPACES, readMacroFile } from "../../briefing/macro-files.ts";
import { loadStyles } from "../../briefing/output-styles.ts";
import { checkSkill, NO_MANIFEST, SKILL_MANIFEST } from "../../briefing/skill-check.ts";
import { readTextFile } from "../../briefing/text-file.ts";
import { commentedJson } from "../../store/json.ts";
import { type CountedKind, countedFile, isPluginPart, isReadPlace, nameInFolder } from "./counted-files.ts";

/** What became of one thing, and why if it does not load. */
type Counted =
  | { readonly end: "loads" | "loads with a remark" }
  | { readonly end: Reason["end"]; readonly why: string };

type CountedIn = Counted & {
  /** The file that it is in, relative to the folder that is counted. */
  readonly path: string;
  /** The folder of its kind. */
  readonly place: string;
};

export interface KindCount {
  readonly kind: CountedKind;
  readonly all: number;
  readonly loads: number;
  readonly remarks: number;
  readonly told: number;
  readonly silent: number;
  /** Why some do not load, each with their files, the most frequent first. */
  readonly reasons: readonly Reason[];
  /** The folders that they are in, the fullest first. */
  readonly places: readonly PlaceCount[];
}

export interface Reason {
  readonly end: "told" | "silent";
  readonly why: string;
  /** Relative to the folder; one with several such things is there several times. */
  readonly files: readonly string[];
}

export interface PlaceCount {
  readonly place: string;
  readonly all: number;
  /** Whether a session reads a folder of that name where it is, or as a part of its plugin. */
  readonly isRead: boolean;
}

export interface FolderCount {
  readonly kinds: readonly KindCount[];
  readonly all: number;
  /** Of all, in percent: what loads, or is told. */
  readonly percent: number;
  /** Of all, in percent: what loads. */
  readonly percentUsed: number;
  /** Whether all of the folder was looked at: it has no more entries or levels than that, and none of it is closed. */
  readonly isWhole: boolean;
}

const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 16;
const MAX_BYTES: number = 4 * 1024 * 1024;
const KINDS: readonly CountedKind[] = ["skills", "commands", "agents", "styles", "hooks", "servers"];
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** `commandProblem` says why a command cannot have that name, or one of a plugin's; undefined if it can. */
export function countFolder(
  folder: string,
  commandProblem: (name: string, isOfPlugin: boolean) => string | undefined,
): FolderCount {
  const kinds: Readonly<Record<CountedKind, CountedIn[]>> = {
    skills: [],
    commands: [],
    agents: [],
    styles: [],
    hooks: [],
    servers: [],
  };
  let left = MAX_ENTRIES;
  let isWhole = true;
  walk(folder, 0);
  const rows = KINDS.map((kind) => summed(kind, kinds[kind], folder));
  const sum = (of: (row: KindCount) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const all = sum((row) => row.all);
  const percentOf = (part: number): number => (all === 0 ? 100 : Math.floor((1_000 * part) / all) / 10);
  const percent = percentOf(all - sum((row) => row.silent));
  return { kinds: rows, all, percent, percentUsed: percentOf(sum((row) => row.loads)), isWhole };

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
      } else if (entry.isFile()) count(path);
    }
  }

  function count(path: string): void {
    const file = countedFile(folder, path);
    if (file === undefined) return;
    for (const found of countedIn(path, file.kind, file.place))
      kinds[file.kind].push({ ...found, path: relative(folder, path), place: file.place });
  }

  function countedIn(path: string, kind: CountedKind, place: string): readonly Counted[] {
    if (kind === "skills") return skill(path, place);
    if (kind === "commands") return [command(path, place)];
    if (kind === "agents") return agent(path, place);
    if (kind === "styles") return [style(path, place)];
    return kind === "hooks" ? hooksIn(path) : serversIn(path);
  }

  function command(path: string, place: string): Counted {
    if (!/\.md$/i.test(path)) return { end: "told", why: "a command is a Markdown file" };
    const { name, problem } = nameInFolder(path, place, MAX_NAMESPACES);
    const why = problem ?? commandProblem(name, isPluginPart(place));
    if (why !== undefined) return { end: "told", why };
    const read = readMacroFile(path, "path");
    if (!read.ok) return { end: "told", why: without(path, read.fault.message) };
    return { end: read.diagnostics.length > 0 ? "loads with a remark" : "loads" };
  }
}

function skill(path: string, place: string): readonly Counted[] {
  const name = basename(path);
  const isPackaged = name === SKILL_MANIFEST;
  if (!isPackaged && name.toUpperCase() === SKILL_MANIFEST.toUpperCase())
    return [{ end: "told", why: `its name must be ${SKILL_MANIFEST}` }];
  if (!isPackaged && dirname(path) !== place) return [{ end: "told", why: NO_MANIFEST }];
  const shape = isPackaged ? "packaged" : "loose";
  const file = readTextFile(path, MAX_BYTES);
  if (!file.ok) return [{ end: "told", why: file.problem }];
  const check = checkSkill(file.text, { path, shape, isLenient: true });
  if (check.kind === "skipped") return [{ end: "silent", why: check.detail }];
  if (check.kind !== "ok") return [{ end: "told", why: check.detail }];
  return [{ end: check.warnings.length > 0 ? "loads with a remark" : "loads" }];
}

function agent(path: string, place: string): readonly Counted[] {
  if (!/\.(?:md|toml)$/i.test(path)) return [{ end: "told", why: "an agent is a Markdown or TOML file" }];
  const { problem } = nameInFolder(path, place, MAX_AGENT_FOLDERS);
  if (problem !== undefined) return [{ end: "told", why: problem }];
  const read = readAgentFile(path, "path");
  if (read === undefined) return [];
  if (!read.ok) return [{ end: "told", why: without(path, read.fault.message) }];
  return [{ end: read.diagnostics.length > 0 ? "loads with a remark" : "loads" }];
}

function style(path: string, place: string): Counted {
  if (dirname(path) !== place) return { end: "told", why: "an output style lies directly in its folder" };
  const { styles, diagnostics } = loadStyles(path, "user");
  const [told] = diagnostics;
  if (styles.length === 0) return { end: "told", why: without(path, told?.message ?? "it has no text") };
  return { end: told === undefined ? "loads" : "loads with a remark" };
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
  return message
    .replaceAll(path, "it")
    .replace(/^(?:macro|agent|skill) invalid: /, "")
    .replace(/^it: it /, "it ");
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

function summed(kind: CountedKind, found: readonly CountedIn[], folder: string): KindCount {
  const of = (end: Counted["end"]): number => found.filter((each) => each.end === end).length;
  const reasons = new Map<string, { end: Reason["end"]; why: string; files: string[] }>();
  const places = new Map<string, number>();
  for (const each of found) {
    const { path, place } = each;
    places.set(place, (places.get(place) ?? 0) + 1);
    if (!("why" in each)) continue;
    const { end, why } = each;
    const known = reasons.get(`${end} ${why}`) ?? { end, why, files: [] };
    known.files.push(path);
    reasons.set(`${end} ${why}`, known);
  }
  return {
    kind,
    all: found.length,
    loads: of("loads") + of("loads with a remark"),
    remarks: of("loads with a remark"),
    told: of("told"),
    silent: of("silent"),
    reasons: [...reasons.values()].sort((one, other) => other.files.length - one.files.length),
    places: [...places]
      .map(([place, all]) => ({
        place: relative(folder, place) || basename(folder),
        all,
        isRead: isReadPlace(place, kind),
      }))
      .sort((one, other) => other.all - one.all),
  };
}
