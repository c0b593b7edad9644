// What a turn changes in the working folder. For a call that says which files it writes, those files are checked before and after; for
// one that can write anything, above all a command, the files that the session's calls have written so far, or, if the person asked for
// that, everything that is not ignored. A file with the same times, size and inode is not read again.

import { join, sep } from "node:path";
import { describeError, isInside } from "indusagi/core";
import type { AfterChange } from "../../cli/part.ts";
import type { CheckpointEntry } from "../../conductor/contract.ts";
import type { Access } from "../../feature/tool.ts";
import { createActionsUnderWay } from "./actions-under-way.ts";
import { createChangeList } from "./change-list.ts";
import { createFileContents, type FileState, pruneContents } from "./file-contents.ts";
import { createFolderLook } from "./folder-look.ts";
import { isSameMark, TICK_MS } from "./seen-file.ts";
import { createTurnLook } from "./turn-look.ts";
import { createWrittenFiles, filesAt } from "./written-files.ts";

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
  const written = createWrittenFiles(cwd, contents);
  const look = createTurnLook(all, root, tell);
  const actions = createActionsUnderWay();
  /** For this turn: the states of single files before a call wrote them, noted before the first look at everything and after it. */
  const firsts = new Map<string, FileState>();
  const laters = new Map<string, FileState>();
  let isPruned = false;
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
    wrote: written.replace,

    begin() {
      firsts.clear();
      laters.clear();
      look.restart();
      isIncomplete = false;
      isOpen = true;
    },

    async before(touched) {
      if (!isOpen || touched.every(({ kind }) => kind === "read")) return () => undefined;
      clearTimeout(soon);
      const after = actions.begin();
      await inTurn(() => noteBefore(touched));
      look.expectChange();
      return after;
    },

    meanwhile() {
      clearTimeout(soon);
      if (look.hasBegun()) soon = setTimeout(() => void inTurn(lookBeside), TICK_MS).unref(); // nothing is fresh by then
    },

    async end() {
      if (!isOpen) return undefined;
      clearTimeout(soon);
      await inTurn(look.again);
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
      if (looksAtAll) await look.begin();
      else for (const path of written.paths()) noteFile(path);
    }
    // A look at everything skips ignored files; a call that names one is still recorded.
    for (const access of touched)
      if (access.kind === "write" && isInside(cwd, access.path))
        for (const path of filesAt(access.path, { cwd, maxFiles, tell })) noteFile(path);
  }

  async function lookBeside(): Promise<void> {
    if (!actions.areAny()) await look.again();
  }

  /** What the turn changed, as of the last look. */
  function changes(): CheckpointEntry | undefined {
    const list = createChangeList();
    for (const [path, before] of firsts) list.add(path, before, () => written.stateOf(path));
    for (const [path, was] of look.changed()) {
      const is = all.seen(path);
      const state = is?.state ?? contents.keep(join(cwd, path));
      // Too large, so there is no content to compare; a different mark means that it changed.
      const isOther = was?.state === "unkept" && state === "unkept" && !(is && isSameMark(was, is));
      list.add(path, was?.state ?? "absent", () => (isOther ? "unkept (changed)" : state));
    }
    for (const [path, before] of laters) list.add(path, before, () => written.stateOf(path));
    return list.entry();
  }

  function noteFile(path: string): void {
    if (path === "" || firsts.has(path) || laters.has(path)) return;
    if (!look.hasBegun()) firsts.set(path, written.stateOf(path));
    else if (!all.seen(path)) laters.set(path, written.stateOf(path));
  }
}
