// The files of a folder, listed when first needed, and searched in pieces between which keys are handled.

import { FileScan } from "./file-scan.ts";
import { ListedFiles } from "./listed-files.ts";

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
  readonly note?: string | undefined;
}

interface FileIndex {
  /**
   * Calls `onFound` with the best matches for `typed`, and again when more files are listed, until the next search. The first call
   * can come before this returns.
   */
  readonly search: (typed: string, onFound: (found: FoundFiles) => void) => void;
  readonly close: () => void;
}

/** How often results are shown while files are being listed, in milliseconds. */
const PARTIAL_MS = 50;
/** The list is made again when it is this old, in milliseconds. */
const STALE_MS = 10_000;

/** An index that starts listing with the first search. */
export function createFileIndex({ list, now, later }: FileIndexOptions): FileIndex {
  const closing = new AbortController();
  let listed: ListedFiles | undefined;
  let isListing = false;
  let current: { readonly typed: string; readonly onFound: (found: FoundFiles) => void } | undefined;
  let scan: FileScan | undefined;
  /** When its matches were last shown. */
  let shownMs = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  /** Work on a new list, to do while the previous one is still in use. */
  const postponed: (() => void)[] = [];
  let isWorkingOff = false;
  /** The last search that covered every path. */
  let wholeScan: FileScan | undefined;

  function begin(): void {
    if (isListing || closing.signal.aborted) return;
    if (listed && now() - listed.atMs < STALE_MS) return;
    isListing = true;
    const fresh = new ListedFiles(now());
    // The previous list stays in use until the new one is complete.
    listed ??= fresh;
    const enough = new AbortController();
    const takeAll = (paths: readonly string[]): void => {
      for (const path of paths) fresh.add(path);
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

  function goOn(): void {
    if (!current || !listed || isWaiting || closing.signal.aborted) return;
    if (scan?.typed !== current.typed || scan.among !== listed) {
      scan = new FileScan(current.typed, listed, wholeScan);
      shownMs = Number.NEGATIVE_INFINITY;
    }
    const isDone = scan.goOn(now);
    const isWhole = isDone && listed.isWhole;
    if (isWhole && scan.isOfAll) wholeScan = scan;
    if (isWhole || (isDone && now() - shownMs >= PARTIAL_MS)) {
      shownMs = now();
      current.onFound({ paths: scan.found(), note: listed.note() });
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
