// The files of a folder, listed when first needed, and searched in pieces between which keys are handled.

import { grouped } from "indusagi/core";
import { type Best, createBest } from "./best.ts";
import { fitLower, letterBits } from "./fuzzy.ts";

/** Lists the files; paths are relative. Resolves when all are listed. */
type ListFiles = (onPaths: (paths: readonly string[]) => void, signal: AbortSignal) => Promise<void>;

export interface FileIndexOptions {
  readonly list: ListFiles;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Runs `work` after the keys that are waiting. */
  readonly later: (work: () => void) => void;
}

export interface FoundFiles {
  /** Folders end with `/`. The best first. */
  readonly paths: readonly string[];
  /** Shown below them. */
  readonly note?: string;
}

interface FileIndex {
  /**
   * Calls `onFound` with the best matches for `typed`, and again when more files are listed, until the next search. The first call
   * can come before this returns.
   */
  readonly search: (typed: string, onFound: (found: FoundFiles) => void) => void;
  readonly close: () => void;
}

/** Further files are not listed. */
const MOST_PATHS = 500_000;
const MOST_SHOWN = 50;
/** How long one piece of work can delay a key, in milliseconds. */
const PIECE_MS = 4;
const CLOCK_EVERY = 128;
/** How often results are shown while files are being listed, in milliseconds. */
const PARTIAL_MS = 50;
/** The list is made again when it is this old, in milliseconds. */
const STALE_MS = 10_000;

interface Listed {
  readonly paths: string[];
  readonly lower: string[];
  readonly bits: number[];
  readonly folders: Set<string>;
  isWhole: boolean;
  isCut: boolean;
  problem?: unknown;
  /** Why it could not be made again. */
  againProblem?: unknown;
  atMs: number;
}

/** One search over one list, and its progress: when more files are listed it continues from there. */
interface Scan {
  readonly typed: string;
  readonly among: Listed;
  /** The matches for a prefix of `typed`; undefined: all paths. */
  readonly some: readonly number[] | undefined;
  readonly best: Best<string>;
  readonly fitting: number[];
  at: number;
  shownMs: number;
}

/** An index that starts listing with the first search. */
export function createFileIndex({ list, now, later }: FileIndexOptions): FileIndex {
  const closing = new AbortController();
  let listed: Listed | undefined;
  let isListing = false;
  let current: { readonly typed: string; readonly onFound: (found: FoundFiles) => void } | undefined;
  let scan: Scan | undefined;
  let isWaiting = false;
  /** Work on a new list, to do while the previous one is still in use. */
  const postponed: (() => void)[] = [];
  let isWorkingOff = false;
  /** The last search that covered every path. */
  let narrowed: Scan | undefined;

  function begin(): void {
    if (isListing || closing.signal.aborted) return;
    if (listed && now() - listed.atMs < STALE_MS) return;
    isListing = true;
    const fresh: Listed = {
      paths: [],
      lower: [],
      bits: [],
      folders: new Set(),
      isWhole: false,
      isCut: false,
      atMs: now(),
    };
    // The previous list stays in use until the new one is complete.
    listed ??= fresh;
    const enough = new AbortController();
    const takeAll = (paths: readonly string[]): void => {
      for (const path of paths) take(fresh, path);
      if (fresh.isCut) enough.abort();
      if (listed === fresh) goOn();
    };
    const end = (): void => {
      fresh.isWhole = true;
      fresh.atMs = now();
      // A list that was good is worth more than what a failure left of the new one.
      if (fresh.problem !== undefined && listed && listed !== fresh && listed.problem === undefined) {
        listed.atMs = fresh.atMs;
        listed.againProblem = fresh.problem;
      } else listed = fresh;
      isListing = false;
      goOn();
    };
    const isFirst = listed === fresh;
    list(
      (paths) => (isFirst ? takeAll(paths) : afterSearches(() => takeAll(paths))),
      AbortSignal.any([closing.signal, enough.signal]),
    )
      .catch((error: unknown) => {
        fresh.problem = error;
      })
      .finally(() => (isFirst ? end() : afterSearches(end)));
  }

  /** Runs works in order, one piece at a time, each while no search is waiting. */
  function afterSearches(work: () => void): void {
    postponed.push(work);
    workOff();
  }

  function workOff(): void {
    if (isWorkingOff || isWaiting || postponed.length === 0) return; // a running search calls this again when done
    isWorkingOff = true;
    later(() => {
      isWorkingOff = false;
      if (isWaiting || closing.signal.aborted) return;
      postponed.shift()?.();
      workOff();
    });
  }

  function take(into: Listed, path: string): void {
    if (into.paths.length >= MOST_PATHS) {
      into.isCut = true;
      return;
    }
    put(into, path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      if (into.folders.has(folder)) break;
      into.folders.add(folder);
      put(into, folder);
    }
  }

  function put(into: Listed, path: string): void {
    const lower = path.toLowerCase();
    into.paths.push(path);
    into.lower.push(lower);
    into.bits.push(letterBits(lower));
  }

  /** If `typed` only extends the last search, its matches are searched instead of all paths. */
  function startOf(typed: string, among: Listed): Scan {
    const before = narrowed;
    const isNarrower =
      before?.among === among &&
      before.typed !== "" &&
      before.at === among.paths.length &&
      typed.startsWith(before.typed);
    return {
      typed,
      among,
      some: isNarrower ? before.fitting : undefined,
      best: createBest<string>(MOST_SHOWN),
      fitting: [],
      at: 0,
      shownMs: Number.NEGATIVE_INFINITY,
    };
  }

  function goOn(): void {
    if (!current || !listed || isWaiting || closing.signal.aborted) return;
    if (scan?.typed !== current.typed || scan.among !== listed) scan = startOf(current.typed, listed);
    const { among } = scan;
    const isDone = piece(scan);
    const isWhole = isDone && among.isWhole;
    if (isWhole && !scan.some) narrowed = scan;
    if (isWhole || (isDone && now() - scan.shownMs >= PARTIAL_MS)) {
      scan.shownMs = now();
      current.onFound({ paths: scan.best.all(), ...noteOf(among) });
    }
    if (isDone) {
      workOff();
      return;
    }
    isWaiting = true;
    later(() => {
      isWaiting = false;
      goOn();
    });
  }

  /** True once everything listed so far has been searched. */
  function piece(on: Scan): boolean {
    const { among, some, best, fitting } = on;
    const lower = on.typed.toLowerCase();
    const wanted = letterBits(lower);
    const end = some ? some.length : among.paths.length;
    const until = now() + PIECE_MS;
    for (; on.at < end; on.at++) {
      if (on.at % CLOCK_EVERY === CLOCK_EVERY - 1 && now() >= until) return false;
      const index = some ? (some[on.at] ?? 0) : on.at;
      if (((among.bits[index] ?? 0) & wanted) !== wanted) continue;
      const score = fitLower(among.lower[index] ?? "", lower, best.least());
      if (score === Number.NEGATIVE_INFINITY) continue;
      fitting.push(index);
      best.add(among.paths[index] ?? "", score);
    }
    return true;
  }

  return {
    search: (typed, onFound) => {
      current = { typed, onFound };
      begin();
      goOn();
    },
    close: () => {
      current = undefined;
      closing.abort();
    },
  };
}

function noteOf({ isWhole, isCut, paths, problem, againProblem }: Listed): { readonly note?: string } {
  if (problem !== undefined) return { note: `files cannot be listed: ${inWords(problem)}` };
  if (againProblem !== undefined)
    return { note: `as listed before; listing again failed: ${inWords(againProblem)}` };
  if (isCut) return { note: `only the first ${grouped(MOST_PATHS)} files are listed` };
  return isWhole ? {} : { note: `still looking, ${grouped(paths.length)} files so far` };
}

function inWords(problem: unknown): string {
  return String(problem instanceof Error ? problem.message : problem);
}
