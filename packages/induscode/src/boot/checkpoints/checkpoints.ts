// What a turn changes in the working folder. A call that says which files it writes costs a look at those; one that may write anything, a
// command above all, at what the session's calls wrote so far, or, where a person asked for that, at everything that is not ignored,
// before and after. What did not change by time, size and place is not read again.

import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { listFiles } from "indusagi/capabilities";
import { describeError, isInside, nowMs } from "indusagi/core";
import type { CheckpointEntry } from "../../conductor/contract.ts";
import type { Access } from "../../feature/contract.ts";
import type { Checkpoints } from "../../session/checkpoints.ts";
import { createFileContents, type FileState, pruneContents } from "./file-contents.ts";
import { readFileIndex, writeFileIndex } from "./file-index.ts";
import { isAsSeen, isSameMark, NOT_SEEN, type SeenFile, seenAs } from "./seen-file.ts";

/** Of one file, between two looks. */
interface Change {
  readonly was: SeenFile | undefined;
  readonly is: SeenFile | undefined;
}

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
  const root = cwd.endsWith(sep) ? cwd : `${cwd}${sep}`; // joining 20,000 paths takes as long as looking for their files
  /** As of the last look at everything; what has the same mark is not read again. */
  let known = new Map<string, SeenFile>();
  /** What calls wrote in this session. */
  const written = new Map<string, SeenFile>(wrote.map(({ path }) => [path, NOT_SEEN]));
  let looks = 0;
  let isPruned = false;
  /** When all of them were read, by this session or the one whose index it goes on with; undefined before the first look. */
  let readAt: number | undefined;
  /** What changed since the index was written. */
  let unwritten = 0;
  /** Of the turn: what single files were, and whether all were looked at, before the first call that may write anything. */
  let firsts = new Map<string, FileState>();
  let hasLooked = false;
  let isOpen = false;
  let isCut = false;
  /** The last file of a look that left some out. */
  let cutAt: string | undefined;
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

  /** What is not as it was in the look before. */
  async function look(): Promise<ReadonlyMap<string, Change>> {
    const isFirst = readAt === undefined;
    if (isFirst) ({ files: known, readAt } = readFileIndex(home, folder));
    looks++;
    const changes = new Map<string, Change>();
    const { left, end } = await eachFile((path) => {
      const found = plainFile(`${root}${path}`);
      if (!found) return;
      const was = known.get(path);
      if (was && isAsSeen(found, was)) {
        was.look = looks;
        return;
      }
      const is = seenAs(found, nowMs(), contents.keep(join(cwd, path)), looks);
      known.set(path, is);
      // One that was left out may have been there.
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
        `Checkpoints: ${cwd} has ${left} files more than ${maxFiles}; what commands do to those is not kept.`,
      );
    isCut ||= left > 0;
    if ((isFirst && unwritten > 0) || unwritten > MAX_UNWRITTEN) {
      writeFileIndex(home, folder, { files: known, readAt: readAt ?? nowMs() });
      unwritten = 0;
    }
    return changes;
  }

  /** Visits what is not ignored; answers how many files are too many, and the last one before them. */
  async function eachFile(
    visit: (path: string) => void,
  ): Promise<{ readonly left: number; readonly end: string | undefined }> {
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
    const left = paths.length > maxFiles ? paths.sort().splice(maxFiles).length : 0;
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      for (const path of paths.slice(at, at + AT_ONCE)) visit(path);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { left, end: left > 0 ? paths.at(-1) : undefined };
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
            // One that is too large has no content to compare; its mark says that it is another.
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

function plainFile(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found : undefined;
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}
