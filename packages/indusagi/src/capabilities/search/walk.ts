// The portable walk over a tree, on nothing but the file seam: folders are read several at a time and handed out in
// one fixed order.

import { sep } from "node:path";
import { Aborted, abortable } from "../../core/abort.ts";
import { errorCode } from "../../core/faults.ts";
import type { Fs } from "../kernel/contract.ts";
import { applyRules, enterFolder, type IgnoreScope, isIgnored } from "./ignore-scope.ts";
import { FolderReader, type Listing, ReadAhead } from "./read-ahead.ts";
import { createTurns } from "./turns.ts";

/** Folders that no search enters or lists: other tools' stores, and the captures of background jobs. */
export const PRUNED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules", ".indus-process"]);

/** Ignored files are counted up to here: what a project builds may be larger than the project. */
export const MAX_IGNORED_COUNTED = 10_000;

export interface WalkEntry {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/** What a walk met and did not hand out. It grows while the walk goes on. */
export interface WalkTally {
  /** Files that ignore rules left out, those in ignored folders included; above the limit it stops growing. */
  ignored: number;
  /** Folders that could not be read. */
  unreadable: number;
  /** False once an ignore file was met that ripgrep would read another way. */
  isPlain: boolean;
}

export function createTally(): WalkTally {
  return { ignored: 0, unreadable: 0, isPlain: true };
}

export interface Walk {
  readonly fs: Fs;
  /** A folder; reading it must succeed. Folders below it that cannot be read are counted and passed over. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** From `openIgnoreScope`. Present: what ignore files name is left out. */
  readonly scope?: IgnoreScope | undefined;
  readonly tally?: WalkTally;
}

/**
 * Every entry below `root`, each folder before its content, children sorted by name; links are listed and not
 * followed. Throws {@link Aborted} once `signal` has fired.
 */
export async function* walk(options: Walk): AsyncGenerator<WalkEntry, void, undefined> {
  for await (const run of walkInRuns(options)) yield* run;
}

/** {@link walk} for large trees: the entries up to and with the next folder come at once, possibly none. */
export async function* walkInRuns(options: Walk): AsyncGenerator<readonly WalkEntry[], void, undefined> {
  const { root, signal, scope, tally = createTally() } = options;
  const reader = new FolderReader(options.fs);
  const top: Folder = { path: root, name: "", isDirectory: true, isSymlink: false, isIgnored: false, scope };
  const opened = await abortable(reader.read(top), signal);
  if (opened.kind === "failed") throw opened.error;
  const levels = [new Level(reader, await entriesOf(top, opened, tally))];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (signal.aborted) throw new Aborted();
    const isCounting = tally.ignored <= MAX_IGNORED_COUNTED;
    for (const near of levels.slice(-LEVELS_AHEAD))
      near.folders.fill((folder) => isCounting || !folder.isIgnored);
    const { run, folder } = level.takeRun();
    if (run.length > 0) yield run;
    if (folder === undefined) {
      levels.pop();
    } else if (folder.isIgnored && !isCounting) {
      level.folders.skip(folder);
    } else {
      const listing = await abortable(level.folders.take(folder), signal);
      if (listing.kind === "read") levels.push(new Level(reader, await entriesOf(folder, listing, tally)));
      else if (errorCode(listing.error) === undefined) throw listing.error;
      else if (!isGone(listing.error) && !folder.isIgnored) tally.unreadable++;
    }
  }
}

// Where each folder has one subfolder, the next folder of an outer level keeps the disk busy.
const LEVELS_AHEAD = 3;

/** A folder to read. In an ignored one files are only counted. */
interface Folder extends WalkEntry {
  readonly isIgnored: boolean;
  /** The rules of the folders above it; undefined when none are to count inside. */
  readonly scope: IgnoreScope | undefined;
}

/** A folder that has been read: what is left of its entries, in order. */
class Level {
  readonly folders: ReadAhead<Folder>;
  readonly #entries: readonly (WalkEntry | Folder)[];
  #next = 0;

  constructor(reader: FolderReader, entries: readonly (WalkEntry | Folder)[]) {
    this.folders = new ReadAhead(reader, entries.filter(isFolder));
    this.#entries = entries;
  }

  /** The entries up to and with the next folder, which is left out when it is ignored. */
  takeRun(): { readonly run: readonly WalkEntry[]; readonly folder: Folder | undefined } {
    const start = this.#next;
    while (this.#next < this.#entries.length) {
      const entry = this.#entries[this.#next++];
      if (entry === undefined || !isFolder(entry)) continue;
      return {
        run: this.#entries.slice(start, entry.isIgnored ? this.#next - 1 : this.#next),
        folder: entry,
      };
    }
    return { run: start === 0 ? this.#entries : this.#entries.slice(start), folder: undefined };
  }
}

function isFolder(entry: WalkEntry | Folder): entry is Folder {
  return entry.isDirectory;
}

async function entriesOf(
  folder: Folder,
  { children, rules }: Extract<Listing, { kind: "read" }>,
  tally: WalkTally,
): Promise<readonly (WalkEntry | Folder)[]> {
  const scope = folder.scope && rules && applyRules(folder.scope, rules);
  if (folder.scope && rules) {
    // Outside a repository, ripgrep lets the rules of outer folders reach into the repositories it finds.
    const endsRules = rules.isRepositoryRoot && folder.scope.links !== undefined;
    tally.isPlain &&= rules.isPlain && !(endsRules && !folder.scope.isInRepository);
  }
  const base = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
  const entries: (WalkEntry | Folder)[] = [];
  const takeTurns = createTurns();
  for (const child of children) {
    const { name, isDirectory, isSymlink } = child;
    if (isDirectory && PRUNED_NAMES.has(name)) continue;
    const isLeftOut = folder.isIgnored || (scope !== undefined && isIgnored(scope, child));
    if (scope?.links !== undefined) await takeTurns();
    const path = base + name;
    if (isDirectory) {
      const inner = isLeftOut || scope === undefined ? undefined : enterFolder(scope, name);
      entries.push({
        path,
        name,
        isDirectory,
        isSymlink,
        isIgnored: isLeftOut,
        scope: inner,
      } satisfies Folder);
    } else if (!isLeftOut) {
      entries.push({ path, name, isDirectory, isSymlink });
    } else if (!isSymlink) {
      tally.ignored++;
    }
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The walk's order of two absolute paths under one root: segment by segment, by UTF-16 unit. */
export function compareWalkOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a.replaceAll(sep, "\0") < b.replaceAll(sep, "\0") ? -1 : 1;
}

const GONE: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "EISDIR"];

/** True for an entry that is not what it was when listed, or no file that has content: nothing is said of it. */
export function isGone(error: unknown): boolean {
  return GONE.includes(errorCode(error) ?? "");
}

/** True for an entry that a search passes over: gone, or forbidden. */
export function isPassedOver(error: unknown): boolean {
  return isGone(error) || ["EACCES", "EPERM"].includes(errorCode(error) ?? "");
}
