// What a turn changes in the working folder. For a call that says which files it writes, those files are checked before and after; for
// one that can write anything, above all a command, the files that the session's calls have written so far, or, if the person asked for
// that, everything that is not ignored. A file with the same times, size and inode is not read again.

import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join, relative, sep } from "node:path";
import { listFiles } from "indusagi/capabilities";
import { describeError, isInside, nowMs } from "indusagi/core";
import type { CheckpointEntry } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import type { Access } from "../../feature/contract.ts";
import type { Checkpoints } from "../../session/checkpoints.ts";
import { isInRepository } from "../repository.ts";
import { createFileContents, type FileState, pruneContents } from "./file-contents.ts";
import { readFileIndex, writeFileIndex } from "./file-index.ts";
import { isAsSeen, isSameMark, NOT_SEEN, type SeenFile, seenAs } from "./seen-file.ts";

/** The change of one file between two looks. */
interface Change {
  readonly was: SeenFile | undefined;
  readonly is: SeenFile | undefined;
}

export interface CheckpointPlace {
  /** A real path. */
  readonly cwd: string;
  readonly home: string;
  /** The name that this working folder has in the home. */
  readonly folder: string;
  readonly tell: (text: string) => void;
  /** Whether commands trigger a look at everything. */
  readonly looksAtAll: boolean;
  /** Files that the session changed before this process. */
  readonly wrote?: readonly { readonly path: string }[];
  /** In a folder with more files, the rest is not checked; default 50,000. */
  readonly maxFiles?: number;
}

const MAX_FILES = 50_000;
const MAX_CHANGES = 5_000;
/** How many changed files the index can lack. */
const MAX_UNWRITTEN = 500;
/** How many files are checked before other work gets a turn. */
const AT_ONCE = 500;

/** Without `noting`: these only look at files that others read and write. */
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
  const root = cwd.endsWith(sep) ? cwd : `${cwd}${sep}`; // calling `join` on 20,000 paths takes as long as checking their files
  /** As of the last look at everything; a file with the same mark is not read again. */
  let known = new Map<string, SeenFile>();
  /** Files that calls wrote in this session. */
  const written = new Map<string, SeenFile>(wrote.map(({ path }) => [path, NOT_SEEN]));
  let looks = 0;
  let isPruned = false;
  /** When all of them were read, by this session or the one whose index it continues; undefined before the first look. */
  let readAt: number | undefined;
  /** How many files changed since the index was written. */
  let unwritten = 0;
  /** For this turn: the state of single files, and whether everything was looked at, before the first call that can write anything. */
  let firsts = new Map<string, FileState>();
  let hasLooked = false;
  let isOpen = false;
  let isCut = false;
  /** The last file that was included in a look that skipped some. */
  let cutAt: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One look at a time. A failure is reported, and loses only the checkpoint. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const done = last.then(work).catch((error: unknown) => {
      tell(`This turn's checkpoint is incomplete: ${describeError(error)}`);
      return undefined;
    });
    last = done;
    return done;
  }

  /** The differences from the previous look. */
  async function look(): Promise<ReadonlyMap<string, Change>> {
    const isFirst = readAt === undefined;
    if (isFirst) ({ files: known, readAt } = readFileIndex(home, folder));
    looks++;
    const changes = new Map<string, Change>();
    const same = new Set<string>();
    const checkKnown = inBatches([...known], ([path, was]) => {
      const found = plainFile(`${root}${path}`);
      if (found && isAsSeen(found, was)) same.add(path);
    });
    const [{ paths, left, end }] = await Promise.all([listed(), checkKnown]); // another process lists
    await inBatches(paths, (path) => {
      const was = known.get(path);
      if (was && same.has(path)) {
        was.look = looks;
        return;
      }
      const found = plainFile(`${root}${path}`);
      if (!found) return;
      const is = seenAs(found, nowMs(), contents.keep(join(cwd, path)), looks);
      known.set(path, is);
      // A file that the previous look skipped could have existed then.
      if (was || cutAt === undefined || path <= cutAt) changes.set(path, { was, is });
    });
    cutAt = end;
    unwritten += changes.size;
    for (const [path, was] of known) {
      if (was.look === looks) continue;
      changes.set(path, { was, is: undefined });
      known.delete(path);
    }
    if (left > 0 && !isCut)
      tell(
        `Checkpoints: ${cwd} has ${counted(left, "file")} over the limit of ${maxFiles}; what commands do to those is not recorded.`,
      );
    isCut ||= left > 0;
    if ((isFirst && unwritten > 0) || unwritten > MAX_UNWRITTEN) {
      writeFileIndex(home, folder, { files: known, readAt: readAt ?? nowMs() });
      unwritten = 0;
    }
    return changes;
  }

  /** Everything that is not ignored, up to the limit; how many files were skipped, and the last path before them. */
  async function listed(): Promise<{
    readonly paths: readonly string[];
    readonly left: number;
    readonly end: string | undefined;
  }> {
    const paths: string[] = [];
    await listFiles({
      root: cwd,
      isInRepository: isInRepository(cwd),
      signal: new AbortController().signal,
      onPaths: (more) => {
        for (const path of more) paths.push(path);
      },
    });
    // They arrive in no particular order, and the same ones must be skipped each time.
    const left = paths.length > maxFiles ? paths.sort().splice(maxFiles).length : 0;
    return { paths, left, end: left > 0 ? paths.at(-1) : undefined };
  }

  return {
    begin() {
      firsts = new Map();
      hasLooked = false;
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
        if (hasLooked)
          for (const [path, { was, is }] of await look()) {
            if (firsts.has(path)) continue;
            const state = is?.state ?? contents.keep(join(cwd, path));
            // Too large, so there is no content to compare; a different mark means that it changed.
            const isOther = was?.state === "unkept" && state === "unkept" && !(is && isSameMark(was, is));
            add(path, was?.state ?? "absent", isOther ? "unkept (changed)" : state);
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
        if (!looksAtAll) for (const path of written.keys()) noteFile(path);
        else if (!hasLooked) {
          await look();
          hasLooked = true;
        }
      }
      // A look at everything skips ignored files; a call that names one is still recorded.
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
        `Checkpoints: ${path} has ${files.length} files; what happens to those after the first ${maxFiles} is not recorded.`,
      );
    for (const each of files.slice(0, maxFiles)) noteFile(relative(cwd, join(each.parentPath, each.name)));
  }

  function noteFile(path: string): void {
    if (path !== "" && !firsts.has(path) && !(hasLooked && known.has(path))) firsts.set(path, stateOf(path));
  }

  function stateOf(path: string): FileState {
    const found = plainFile(`${root}${path}`);
    const seen = written.get(path);
    if (found && seen && isAsSeen(found, seen)) return seen.state;
    const at = nowMs();
    const state = contents.keep(join(cwd, path));
    written.set(path, found ? seenAs(found, at, state) : NOT_SEEN);
    return state;
  }
}

async function inBatches<Item>(items: readonly Item[], visit: (item: Item) => void): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    for (const item of items.slice(at, at + AT_ONCE)) visit(item);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function plainFile(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found : undefined;
}
