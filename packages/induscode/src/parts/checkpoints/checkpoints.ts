// What a turn changes in the working folder. For a call that says which files it writes, those files are checked before and after; for
// one that can write anything, above all a command, the files that the session's calls have written so far, or, if the person asked for
// that, everything that is not ignored. A file with the same times, size and inode is not read again.

import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describeError, isInside, nowMs } from "indusagi/core";
import type { AfterChange } from "../../cli/part.ts";
import type { CheckpointEntry } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import type { Access } from "../../feature/tool.ts";
import { createFileContents, type FileState, pruneContents } from "./file-contents.ts";
import { createFolderLook } from "./folder-look.ts";
import { plainFile, whatIsAt } from "./known-files.ts";
import { isAsSeen, isSameMark, NOT_SEEN, type SeenFile, seenAs, TICK_MS } from "./seen-file.ts";

export interface CheckpointPlace {
  /** A real path. */
  readonly cwd: string;
  readonly home: string;
  /** The name that this working folder has in the home. */
  readonly folder: string;
  readonly tell: (text: string) => void;
  /** Whether commands trigger a look at everything. */
  readonly looksAtAll: boolean;
  /** In a folder with more files, the rest is not checked; default 50,000. */
  readonly maxFiles?: number | undefined;
}

const MAX_FILES = 50_000;
const MAX_CHANGES = 5_000;

export interface Checkpoints {
  /** The session's turns have changed these files so far, within the folder. */
  readonly wrote: (paths: readonly string[]) => void;
  /** A turn begins: earlier changes do not count as its own. */
  readonly begin: () => void;
  /** Awaited before an action that touches these; what it resolves to is called after the action. Never rejects. */
  readonly before: (touched: readonly Access[]) => Promise<AfterChange>;
  /** The model is being asked: what can be found out now delays nobody later. */
  readonly meanwhile: () => void;
  /** What the turn changed; undefined if nothing. Never rejects. */
  readonly end: () => Promise<CheckpointEntry | undefined>;
  /** Ends what looks, after the session's last turn. */
  readonly close: () => void;
}

export function createCheckpoints({
  cwd,
  home,
  folder,
  tell,
  looksAtAll,
  maxFiles = MAX_FILES,
}: CheckpointPlace): Checkpoints {
  const contents = createFileContents(home, folder, tell);
  const root = cwd.endsWith(sep) ? cwd : `${cwd}${sep}`;
  const all = createFolderLook({ cwd, root, home, folder, contents, maxFiles, tell });
  /** Files that calls wrote in this session. */
  const written = new Map<string, SeenFile>();
  let isPruned = false;
  /** For this turn: the states of single files before a call wrote them, noted before the first look at everything and after it. */
  let firsts = new Map<string, FileState>();
  let laters = new Map<string, FileState>();
  /** What has changed since the turn's first look at everything, as it was then; undefined before that look. */
  let changed: Map<string, SeenFile | undefined> | undefined;
  /** When that look began. */
  let lookedAt = 0;
  /** Something may have changed since the last look. */
  let isDirty = false;
  /** Actions under way, and what tells whether something that one started still runs. */
  let underWay = 0;
  const running = new Set<() => boolean>();
  let soon: NodeJS.Timeout | undefined;
  let isOpen = false;
  /** A look failed in this turn. */
  let isIncomplete = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One look at a time. A failure is reported, and loses only the checkpoint. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const done = last.then(work).catch((error: unknown) => {
      tell(`This turn's checkpoint is incomplete: ${describeError(error)}`);
      isIncomplete = true;
      return undefined;
    });
    last = done;
    return done;
  }

  return {
    wrote(paths) {
      written.clear();
      for (const path of paths) written.set(path, NOT_SEEN);
    },

    begin() {
      firsts = new Map();
      laters = new Map();
      changed = undefined;
      isDirty = false;
      isIncomplete = false;
      isOpen = true;
    },

    async before(touched) {
      if (!isOpen || touched.every(({ kind }) => kind === "read")) return () => undefined;
      clearTimeout(soon);
      underWay++;
      await inTurn(() => noteBefore(touched));
      isDirty = true;
      return afterAction();
    },

    meanwhile() {
      clearTimeout(soon);
      if (changed) soon = setTimeout(() => void inTurn(lookBeside), TICK_MS).unref(); // nothing is fresh by then
    },

    async end() {
      if (!isOpen) return undefined;
      clearTimeout(soon);
      await inTurn(lookAgain);
      const entry = await inTurn(async () => changes());
      isOpen = false;
      return isIncomplete ? { type: "checkpoint", files: [], ...entry, isIncomplete } : entry;
    },

    close() {
      clearTimeout(soon);
      all.close();
    },
  };

  async function noteBefore(touched: readonly Access[]): Promise<void> {
    if (!isPruned) pruneContents(home, folder);
    isPruned = true;
    if (touched.some(({ kind }) => kind === "execute")) {
      if (!looksAtAll) for (const path of written.keys()) noteFile(path);
      else if (!changed) {
        lookedAt = nowMs();
        await all.look();
        changed = new Map();
      }
    }
    // A look at everything skips ignored files; a call that names one is still recorded.
    for (const access of touched)
      if (access.kind === "write" && isInside(cwd, access.path)) noteBelow(access.path);
  }

  function afterAction(): AfterChange {
    let isOver = false;
    return (runsOn) => {
      if (isOver) return;
      isOver = true;
      underWay--;
      if (runsOn?.()) running.add(runsOn);
    };
  }

  function isBusy(): boolean {
    for (const runsOn of running) if (!runsOn()) running.delete(runsOn);
    return underWay > 0 || running.size > 0;
  }

  async function lookBeside(): Promise<void> {
    if (!isBusy()) await lookAgain();
  }

  /** In a turn that has looked at everything, if there can be something new. */
  async function lookAgain(): Promise<void> {
    if (!changed || !isDirty) return;
    const { files, haveRulesChanged } = await all.look();
    let uncovered = 0;
    for (const [path, was] of files) {
      if (!was && haveRulesChanged && isOlder(path)) uncovered++;
      else if (!changed.has(path)) changed.set(path, was);
    }
    if (uncovered > 0)
      tell(
        `Checkpoints: ${counted(uncovered, "file")} that ignore rules covered when this turn began, and no longer do, cannot be taken back to before it.`,
      );
    isDirty = false;
  }

  function isOlder(path: string): boolean {
    const found = plainFile(`${root}${path}`);
    return found !== undefined && found.birthtimeMs < lookedAt;
  }

  /** What the turn changed, as of the last look. */
  function changes(): CheckpointEntry | undefined {
    const files: CheckpointEntry["files"][number][] = [];
    const added = new Set<string>();
    let more = 0;
    const add = (path: string, before: FileState, after: FileState): void => {
      if (added.has(path)) return;
      added.add(path);
      if (before === after) return;
      if (files.length < MAX_CHANGES) files.push({ path, before, after });
      else more++;
    };
    for (const [path, before] of firsts) add(path, before, stateOf(path));
    for (const [path, was] of changed ?? []) {
      const is = all.seen(path);
      const state = is?.state ?? contents.keep(join(cwd, path));
      // Too large, so there is no content to compare; a different mark means that it changed.
      const isOther = was?.state === "unkept" && state === "unkept" && !(is && isSameMark(was, is));
      add(path, was?.state ?? "absent", isOther ? "unkept (changed)" : state);
    }
    for (const [path, before] of laters) add(path, before, stateOf(path));
    return files.length === 0 ? undefined : { type: "checkpoint", files, more: more > 0 ? more : undefined };
  }

  function noteBelow(path: string): void {
    if (!whatIsAt(path)?.isDirectory()) {
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
    if (path === "" || firsts.has(path) || laters.has(path)) return;
    if (!changed) firsts.set(path, stateOf(path));
    else if (!all.seen(path)) laters.set(path, stateOf(path));
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
