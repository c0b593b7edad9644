// What a turn changes in the working folder. A call that says which files it writes costs a look at those; one that may write anything, a
// command above all, at what the session's calls wrote so far, or, where a person asked for that, at everything that is not ignored,
// before and after. What did not change by time, size and place is not read again.

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { listFiles } from "indusagi/capabilities";
import { describeError, isInside, nowMs } from "indusagi/core";
import type { CheckpointEntry } from "../../conductor/contract.ts";
import type { Access } from "../../feature/contract.ts";
import type { Checkpoints } from "../../session/checkpoints.ts";
import { createFileContents, type FileState, pruneContents } from "./file-contents.ts";
import { readFileIndex, type SeenFile, writeFileIndex } from "./file-index.ts";

export interface CheckpointPlace {
  /** A real path. */
  readonly cwd: string;
  readonly home: string;
  /** The name of the working folder's part of the home. */
  readonly folder: string;
  readonly tell: (text: string) => void;
  /** Whether commands cost a look at everything. */
  readonly looksAtAll: boolean;
  /** What the session changed before this process. */
  readonly wrote?: readonly { readonly path: string }[];
  /** Of a folder with more, the rest is not looked at; default 50,000. */
  readonly maxFiles?: number;
}

const MAX_FILES = 50_000;
const MAX_CHANGES = 5_000;
/** How many changed files the index may lack. */
const MAX_UNWRITTEN = 500;
/** No file system's clock is coarser, but for FAT's. */
const TICK_MS = 50;
/** How many files are looked at before others have their turn. */
const AT_ONCE = 500;

/** They are taken from files that others read and write. */
export type KeptCheckpoints = Omit<Checkpoints, "noting">;

export function createCheckpoints({
  cwd,
  home,
  folder,
  tell,
  looksAtAll,
  wrote = [],
  maxFiles = MAX_FILES,
}: CheckpointPlace): KeptCheckpoints {
  const contents = createFileContents(home, folder);
  /** As of the last look at everything; what has the same mark is not read again. */
  let known = new Map<string, SeenFile>();
  /** What calls wrote in this session. */
  const written = new Map<string, SeenFile>(
    wrote.map(({ path }) => [path, { mark: "not seen", state: "absent" }]),
  );
  let isPruned = false;
  /** When all of them were read, by this session or the one whose index it goes on with; undefined before the first look. */
  let readAt: number | undefined;
  /** What changed since the index was written. */
  let unwritten = 0;
  /** Of the turn: what single files were, and everything as it was before the first call that may write anything. */
  let firsts = new Map<string, FileState>();
  let base: ReadonlyMap<string, SeenFile> | undefined;
  let isOpen = false;
  let isCut = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One look at a time. What goes wrong is said, and costs the checkpoint alone. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const done = last.then(work).catch((error: unknown) => {
      tell(`This turn has no whole checkpoint: ${describeError(error)}`);
      return undefined;
    });
    last = done;
    return done;
  }

  async function look(): Promise<ReadonlyMap<string, SeenFile>> {
    const now = new Map<string, SeenFile>();
    const isFirst = readAt === undefined;
    if (isFirst) ({ files: known, readAt } = readFileIndex(home, folder));
    let left = 0;
    const paths: string[] = [];
    await listFiles({
      root: cwd,
      isInRepository: isInRepository(cwd),
      signal: new AbortController().signal,
      onPaths: (more) => {
        for (const path of more) paths.push(path);
      },
    });
    // They come in no order of their own, and the same ones must be left out each time.
    if (paths.length > maxFiles) left = paths.sort().splice(maxFiles).length;
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      for (const path of paths.slice(at, at + AT_ONCE)) {
        const mark = markOf(join(cwd, path));
        if (mark === undefined) continue;
        const before = known.get(path);
        const isSame = before?.mark === mark;
        if (!isSame) unwritten++;
        now.set(path, isSame ? before : { mark, state: contents.keep(join(cwd, path)) });
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (left > 0 && !isCut)
      tell(
        `Checkpoints: ${cwd} has ${left} files more than ${maxFiles}; what commands do to those is not kept.`,
      );
    isCut ||= left > 0;
    known = now;
    if ((isFirst && unwritten > 0) || unwritten > MAX_UNWRITTEN) {
      writeFileIndex(home, folder, { files: now, readAt: readAt ?? nowMs() });
      unwritten = 0;
    }
    return now;
  }

  return {
    begin() {
      firsts = new Map();
      base = undefined;
      isOpen = true;
    },

    before,

    async end() {
      if (!isOpen) return undefined;
      const entry = await inTurn(async () => {
        const files: CheckpointEntry["files"][number][] = [];
        let more = 0;
        const add = (path: string, before: FileState, after: FileState): void => {
          if (before === after) return;
          if (files.length < MAX_CHANGES) files.push({ path, before, after });
          else more++;
        };
        for (const [path, before] of firsts) add(path, before, stateOf(path));
        if (base) {
          const after = await look();
          for (const path of new Set([...base.keys(), ...after.keys()])) {
            if (firsts.has(path)) continue;
            const [was, is] = [base.get(path), after.get(path)];
            if (was?.mark === is?.mark) continue;
            // One that is too large has no content to compare; its mark says that it is another.
            const state = is?.state ?? contents.keep(join(cwd, path));
            if (was?.state === "unkept" && state === "unkept") add(path, "unkept", "unkept (changed)");
            else add(path, was?.state ?? "absent", state);
          }
        }
        if (files.length === 0) return undefined;
        return { type: "checkpoint", files, ...(more > 0 ? { more } : {}) } satisfies CheckpointEntry;
      });
      isOpen = false;
      return entry;
    },
  };

  async function before(touched: readonly Access[]): Promise<void> {
    if (!isOpen) return;
    await inTurn(async () => {
      if (!isPruned) pruneContents(home, folder);
      isPruned = true;
      if (touched.some(({ kind }) => kind === "execute")) {
        if (looksAtAll) base ??= await look();
        else for (const path of written.keys()) noteFile(path);
      }
      // What is ignored is not in a look at everything; a call that names it means it.
      for (const access of touched)
        if (access.kind === "write" && isInside(cwd, access.path)) noteBelow(access.path);
    });
  }

  function noteBelow(path: string): void {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      noteFile(relative(cwd, path));
      return;
    }
    const found = readdirSync(path, { withFileTypes: true, recursive: true });
    const files = found.filter((each) => each.isFile());
    if (files.length > maxFiles)
      tell(
        `Checkpoints: ${path} has ${files.length} files; what becomes of those after the first ${maxFiles} is not kept.`,
      );
    for (const each of files.slice(0, maxFiles)) noteFile(relative(cwd, join(each.parentPath, each.name)));
  }

  function noteFile(path: string): void {
    if (path !== "" && !firsts.has(path) && !base?.has(path)) firsts.set(path, stateOf(path));
  }

  function stateOf(path: string): FileState {
    const mark = markOf(join(cwd, path)) ?? "";
    const seen = written.get(path);
    const state = seen?.mark === mark ? seen.state : contents.keep(join(cwd, path));
    // A file written just now may be written again within the same tick of its clock: its mark says nothing yet.
    const isFresh = mark !== "" && nowMs() - Number.parseFloat(mark) < TICK_MS;
    written.set(path, { mark: isFresh ? "fresh" : mark, state });
    return state;
  }
}

function markOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? `${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}` : undefined;
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}
