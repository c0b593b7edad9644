// What appeared under a protected name while the process of an addon that may write files was running, or a confined command of a session
// that was killed. No sandbox can keep a name free in every folder (decision 048), and nobody can tell who made a file. So such a name is
// held: indus reads nothing of it until the person accepts it, and says so. Small files in `<home>/held`, of each session one for its addons
// and one for its commands; none if neither may write.

import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describeError, isInside, processFacts, readBoundedFile } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { exists } from "./on-disk.ts";
import { isBelowOne, protectedPlaces } from "./protected-places.ts";

/** A process that may write files is about to start. */
export interface Writer {
  readonly addon: string;
  /** The workspace, a real path. */
  readonly root: string;
  /** What no writer can make or change: real paths, including everything below them. */
  readonly kept: readonly string[];
  /** A sandbox is in force: even a kept place that does not exist yet can then only come from the person. */
  readonly isConfined: boolean;
}

export interface HeldWhile {
  readonly begin: (before: readonly string[], awaited: readonly string[]) => void;
  readonly end: () => void;
}

export interface HeldNames {
  /** Why a file must not be read; undefined for most. `path` is real. */
  readonly refusal: (path: string) => string | undefined;
  /** From now on, anything that does not exist yet is held. */
  readonly begin: (writer: Writer) => void;
  /** Called once no process of this session runs any more: returns what is newly held. Never throws. */
  readonly settle: () => readonly string[];
  /**
   * For the session's commands, which are cleaned up after as long as the session lives: `begin` when one may run, with all protected names
   * that there are, `end` when none runs. Costs a write where these are others than the last time, and otherwise a file's new name.
   */
  readonly commands: (root: string) => HeldWhile;
  /** The same for an addon that may make anything while one of its tools runs, and is cleaned up after. */
  readonly during: (root: string, addon: string) => HeldWhile;
  /** What is held, one line for each session with addons; with a folder, a real path, only of those at work in, above or below it. */
  readonly lines: (folder?: string) => readonly string[];
  /** Allows reading it from now on. Returns the held names at that place or below. */
  readonly accept: (path: string) => readonly string[];
}

/** The record of one session. With `before`, everything not in it is held; without, only what `held` names. */
interface HeldRecord {
  readonly root: string;
  /** Empty in the record of commands. */
  readonly addons: readonly string[];
  readonly owner?: { readonly pid: number; readonly startedAt: string };
  readonly before?: readonly string[];
  /** With `before`: places that had no file and are read as instructions once they have one. */
  readonly awaited?: readonly string[];
  readonly held: readonly string[];
}

const MAX_SHOWN = 5;

/** How the name of a record ends while nothing that it is about runs. */
const IDLE = ".idle.json";

/** Reads what earlier sessions left, and settles the records of those that were killed. */
export function createHeldNames(home: string): HeldNames {
  const folder = dirname(homePath(home, "heldNames"));
  const records = new Map<string, HeldRecord>();
  for (const path of recordFiles(folder)) {
    const record = readRecord(path);
    if (!record) continue;
    if (path.endsWith(IDLE)) {
      if (record.owner && !isAlive(record.owner)) rmSync(path, { force: true }); // it was killed while nothing could write
      continue;
    }
    if (record.before === undefined && record.held.length === 0) {
      keep(path, record); // the person removed all of it
      continue;
    }
    records.set(path, record);
    if (record.owner && !isAlive(record.owner)) settle(path, record);
  }
  let own: { readonly path: string; readonly before: ReadonlySet<string> } | undefined;
  /** Where the records of {@link HeldWhile} are while nothing runs. */
  const idle = new Set<string>();

  return {
    refusal(path) {
      for (const [file, record] of records) {
        if (!isInside(record.root, path)) continue;
        const isHeld = record.before
          ? !isBelowOne(file === own?.path ? own.before : new Set(record.before), path)
          : record.held.some((name) => isInside(name, path));
        if (isHeld)
          return `it appeared while ${whose(record)}, which may write files, ran. ${TO_ACCEPT} ${path}`;
      }
      return undefined;
    },
    begin({ addon, root, kept, isConfined }) {
      const path = own?.path ?? homePath(home, "heldNames", randomUUID());
      const record = records.get(path);
      if (record?.addons.includes(addon)) return;
      const before = record?.before ?? (isConfined ? kept : kept.filter(exists));
      const awaited = record?.awaited ?? (isConfined ? [] : kept.filter((place) => !exists(place)));
      const addons = [...(record?.addons ?? []), addon];
      own ??= { path, before: new Set(before) };
      keep(path, { root, addons, owner: thisProcess(), before, awaited, held: [] });
    },
    commands: (root) => whileRunning(root, []),
    during: (root, addon) => whileRunning(root, [addon]),
    settle() {
      for (const path of idle) rmSync(path, { force: true });
      const record = own && records.get(own.path);
      if (!own || !record) return [];
      settle(own.path, record);
      const settled = records.get(own.path);
      return settled ? [inWords(settled)] : [];
    },
    lines: (folder) =>
      [...records.values()]
        .filter(({ owner }) => owner === undefined)
        .filter(({ root }) => folder === undefined || isInside(root, folder) || isInside(folder, root))
        .map(inWords),
    accept(path) {
      const accepted: string[] = [];
      for (const [file, record] of records) {
        if (record.owner) continue; // its session is still running
        const names = record.held.filter((name) => isInside(path, name) || isInside(name, path));
        const isUnknown = record.before !== undefined && isInside(record.root, path);
        if (names.length === 0 && !isUnknown) continue;
        accepted.push(...(isUnknown ? [path] : names));
        const before = isUnknown ? { before: [...(record.before ?? []), path] } : {};
        keep(file, { ...record, ...before, held: record.held.filter((name) => !names.includes(name)) });
      }
      return accepted;
    },
  };

  function whileRunning(root: string, addons: readonly string[]): HeldWhile {
    const path = homePath(home, "heldNames", randomUUID());
    const idlePath = path.replace(/\.json$/, IDLE);
    idle.add(idlePath);
    let kept: Pick<HeldRecord, "before" | "awaited"> = {};
    return {
      begin(before, awaited) {
        const record = { root, addons, owner: thisProcess(), before, awaited, held: [] };
        const isSame = isDeepStrictEqual(kept, { before, awaited });
        if (isSame && records.has(path)) return;
        if (isSame && isRenamed(idlePath, path)) records.set(path, record);
        else keep(path, record);
        kept = { before, awaited };
      },
      end() {
        if (records.has(path) && isRenamed(path, idlePath)) records.delete(path);
      },
    };
  }

  /** Compares with what exists now. If not everything could be checked, the record stays as strict as it was. */
  function settle(path: string, { root, addons, before = [], awaited = [], held }: HeldRecord): void {
    const { paths, closed } = protectedPlaces(root);
    const known = new Set(before);
    const named = paths.filter((each) => exists(each) && !closed.includes(each) && !isBelowOne(known, each));
    const appeared = [...named, ...awaited.filter((each) => exists(each))];
    const isWhole = closed.every((each) => isBelowOne(known, each));
    const found = { root, addons, held: [...new Set([...held, ...appeared])] };
    keep(path, isWhole ? found : { ...found, before, awaited });
  }

  function keep(path: string, record: HeldRecord): void {
    const isEmpty = record.before === undefined && record.held.length === 0;
    if (isEmpty) records.delete(path);
    else records.set(path, record);
    try {
      if (isEmpty) rmSync(path, { force: true });
      else replaceFile(path, `${JSON.stringify(record)}\n`, { isDurable: true });
    } catch (error) {
      process.emitWarning(
        `names that appear while an addon or a command may write cannot be recorded in ${folder}: ${describeError(error)}`,
      );
    }
  }
}

const TO_ACCEPT = "Review it; to let indus read it: indus addons accept";

function whose({ addons }: HeldRecord): string {
  if (addons.length === 0) return "the model's commands";
  return `the addon${addons.length === 1 ? "" : "s"} ${addons.join(", ")}`;
}

function inWords(record: HeldRecord): string {
  const { held, root } = record;
  const names = held.slice(0, MAX_SHOWN).map((name) => name.slice(root.length + 1));
  const more = held.length > MAX_SHOWN ? ` and ${held.length - MAX_SHOWN} more` : "";
  const what = held.length === 0 ? "more than can be checked" : `${names.join(", ")}${more}`;
  return `appeared while ${whose(record)}, which may write files, ran in ${root}: ${what}. indus does not read it, but other programs may act on it. ${TO_ACCEPT} PATH`;
}

function recordFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? [join(folder, name)] : []));
  } catch {
    return []; // none yet
  }
}

function readRecord(path: string): HeldRecord | undefined {
  try {
    const record = JSON.parse(
      readBoundedFile(path, HOME_FILES.heldNames.maxBytes).toString("utf8"),
    ) as HeldRecord;
    return { ...record, held: record.held.filter(exists) };
  } catch (error) {
    process.emitWarning(
      `${path} cannot be read: ${describeError(error)}; delete it once you know what it contained`,
    );
    return undefined;
  }
}

function thisProcess(): NonNullable<HeldRecord["owner"]> {
  return { pid: process.pid, startedAt: processFacts(process.pid)?.startedAt ?? "" };
}

function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false; // not there yet, or no longer: the caller writes it, or keeps what is stricter
  }
}

function isAlive({ pid, startedAt }: NonNullable<HeldRecord["owner"]>): boolean {
  const facts = processFacts(pid);
  return facts !== undefined && (facts.startedAt ?? "") === startedAt;
}
