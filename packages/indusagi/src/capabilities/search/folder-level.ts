// One folder of a walk: its entries in order, and its subfolders, which are read ahead so that the disk and the thread pool are
// not idle.

import { sep } from "node:path";
import type { DirChild, Fs } from "../kernel/contract.ts";
import {
  applyRules,
  enterFolder,
  type FolderRules,
  type IgnoreScope,
  isIgnored,
  readFolderRules,
} from "./ignore-scope.ts";
import { createTurns } from "./turns.ts";

/** Folders that no search enters or lists: other tools' stores, and the captured output of background jobs. */
export const PRUNED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules", ".indus-process"]);

export interface WalkEntry {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/** A folder to read. In an ignored folder, files are only counted. */
export interface Folder extends WalkEntry {
  readonly isIgnored: boolean;
  /** The rules of the folders above it; undefined if none apply inside. */
  readonly scope: IgnoreScope | undefined;
}

type OpenedFolder =
  | { readonly kind: "level"; readonly level: FolderLevel }
  | { readonly kind: "failed"; readonly error: unknown };

// Per level: folders of an outer level, read long before their turn, must not hold up the inner ones.
const FOLDERS_AHEAD = 32;

// The maximum number of entries read ahead, over all levels.
const MAX_ENTRIES_WAITING = 100_000;

/** Reads folders for the levels of one walk. */
export class FolderOpener {
  readonly #fs: Fs;
  readonly #isCounting: boolean;
  /** Entries of folders that were read ahead. */
  entriesWaiting = 0;

  /** With `isCounting`, levels have no files: they are only counted if ignored. */
  constructor(fs: Fs, isCounting: boolean) {
    this.#fs = fs;
    this.#isCounting = isCounting;
  }

  get isFull(): boolean {
    return this.entriesWaiting > MAX_ENTRIES_WAITING;
  }

  /** Never rejects. */
  async open(folder: Folder): Promise<OpenedFolder> {
    try {
      const children = await this.#fs.readDir(folder.path);
      const rules = folder.scope && (await readFolderRules(this.#fs, folder.path, children));
      const sifted = await sift(folder, children, { rules, isCounting: this.#isCounting });
      return { kind: "level", level: new FolderLevel(this, sifted) };
    } catch (error) {
      return { kind: "failed", error };
    }
  }
}

interface Waiting {
  readonly opening: Promise<OpenedFolder>;
  opened?: OpenedFolder;
}

/** A folder that has been read: its remaining entries, in order. */
export class FolderLevel {
  readonly size: number;
  /** Files directly in this folder that ignore rules left out. */
  readonly ignored: number;
  /** Whether ripgrep interprets this folder's ignore files as git does. */
  readonly isPlain: boolean;
  readonly #opener: FolderOpener;
  readonly #entries: readonly (WalkEntry | Folder)[];
  readonly #folders: readonly Folder[];
  readonly #waiting = new Map<Folder, Waiting>();
  #nextEntry = 0;
  #nextAhead = 0;
  #taken = 0;

  constructor(opener: FolderOpener, { entries, ignored, isPlain }: Sifted) {
    this.#opener = opener;
    this.#entries = entries;
    this.#folders = entries.filter(isFolder);
    this.size = entries.length;
    this.ignored = ignored;
    this.isPlain = isPlain;
  }

  /** The entries up to and including the next folder, which is left out if it is ignored. */
  takeRun(): { readonly run: readonly WalkEntry[]; readonly folder: Folder | undefined } {
    const start = this.#nextEntry;
    while (this.#nextEntry < this.#entries.length) {
      const entry = this.#entries[this.#nextEntry++];
      if (entry === undefined || !isFolder(entry)) continue;
      return {
        run: this.#entries.slice(start, entry.isIgnored ? this.#nextEntry - 1 : this.#nextEntry),
        folder: entry,
      };
    }
    return { run: start === 0 ? this.#entries : this.#entries.slice(start), folder: undefined };
  }

  /** Starts reading the next wanted folders, then those inside the very next one, `depth` levels down. */
  readAhead(depth: number, isWanted: (folder: Folder) => boolean): void {
    while (this.#waiting.size < FOLDERS_AHEAD && this.#nextAhead < this.#folders.length) {
      if (this.#opener.isFull) return;
      const folder = this.#folders[this.#nextAhead++];
      if (folder !== undefined && isWanted(folder)) this.#waiting.set(folder, this.#startOpening(folder));
    }
    if (depth === 0) return;
    const [next] = this.#waiting.values();
    if (next?.opened?.kind === "level") next.opened.level.readAhead(depth - 1, isWanted);
  }

  /** Opens `folder`, whose turn has come. Never rejects. */
  take(folder: Folder): Promise<OpenedFolder> {
    return this.#pass(folder)?.opening ?? this.#opener.open(folder);
  }

  /** The turn of `folder` has come, but it is no longer wanted. */
  skip(folder: Folder): void {
    this.#pass(folder);
  }

  #startOpening(folder: Folder): Waiting {
    const opening = this.#opener.open(folder);
    const waiting: Waiting = { opening };
    opening.then((opened) => {
      waiting.opened = opened;
      if (this.#waiting.get(folder) === waiting) this.#opener.entriesWaiting += sizeOf(opened);
    });
    return waiting;
  }

  #pass(folder: Folder): Waiting | undefined {
    this.#nextAhead = Math.max(this.#nextAhead, ++this.#taken);
    const waiting = this.#waiting.get(folder);
    if (waiting?.opened !== undefined) this.#opener.entriesWaiting -= sizeOf(waiting.opened);
    this.#waiting.delete(folder);
    return waiting;
  }
}

function isFolder(entry: WalkEntry | Folder): entry is Folder {
  return entry.isDirectory;
}

function sizeOf(opened: OpenedFolder): number {
  return opened.kind === "level" ? opened.level.size : 0;
}

interface Sifted {
  /** Sorted by name. */
  readonly entries: readonly (WalkEntry | Folder)[];
  readonly ignored: number;
  readonly isPlain: boolean;
}

async function sift(
  folder: Folder,
  children: readonly DirChild[],
  { rules, isCounting }: { readonly rules: FolderRules | undefined; readonly isCounting: boolean },
): Promise<Sifted> {
  const scope = folder.scope && rules && applyRules(folder.scope, rules);
  const base = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
  const entries: (WalkEntry | Folder)[] = [];
  const takeTurns = createTurns();
  let ignored = 0;
  for (const child of children) {
    const { name, isDirectory, isSymlink } = child;
    if (isDirectory && PRUNED_NAMES.has(name)) continue;
    const isLeftOut = folder.isIgnored || (scope !== undefined && isIgnored(scope, child));
    const turn = scope?.links && takeTurns();
    if (turn !== undefined) await turn; // an await per entry would take longer than the walk itself
    if (isCounting && !isDirectory) {
      if (isLeftOut && !isSymlink) ignored++;
      continue;
    }
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
      ignored++;
    }
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { entries, ignored, isPlain: isPlainHere(folder.scope, rules) };
}

// Outside a repository, ripgrep applies the rules of outer folders inside the repositories it finds.
function isPlainHere(outer: IgnoreScope | undefined, rules: FolderRules | undefined): boolean {
  if (outer === undefined || rules === undefined) return true;
  const endsRules = rules.isRepositoryRoot && outer.links !== undefined;
  return rules.isPlain && !(endsRules && !outer.isInRepository);
}
