// The files of a folder, listed when they are first asked for, and searched in pieces between which keys are read.

import { createBest } from "./best.ts";
import { fit, letterBits } from "./fuzzy.ts";

/** Lists the files; paths are relative. Resolves when all are listed. */
export type ListFiles = (onPaths: (paths: readonly string[]) => void, signal: AbortSignal) => Promise<void>;

export interface FileIndexOptions {
  readonly list: ListFiles;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Runs what remains after the keys that wait. */
  readonly later: (work: () => void) => void;
}

export interface FoundFiles {
  /** Folders end with `/`. The best first. */
  readonly paths: readonly string[];
  /** Said below them. */
  readonly note?: string;
}

export interface FileIndex {
  /**
   * Calls `onFound` with the best for `typed`, and again when more files are listed, until the next search. The first call
   * may come before this returns.
   */
  readonly search: (typed: string, onFound: (found: FoundFiles) => void) => void;
  readonly close: () => void;
}

/** More than these are not listed. */
const MOST_PATHS = 500_000;
const MOST_SHOWN = 50;
/** How long one piece of work may hold up a key, in milliseconds. */
const PIECE_MS = 5;
const CLOCK_EVERY = 256;
/** The list is made anew when it is this old, in milliseconds. */
const STALE_MS = 10_000;

interface Listed {
  readonly paths: string[];
  readonly bits: number[];
  readonly folders: Set<string>;
  isWhole: boolean;
  isCut: boolean;
  problem?: unknown;
  atMs: number;
}

export function createFileIndex({ list, now, later }: FileIndexOptions): FileIndex {
  const closing = new AbortController();
  let listed: Listed | undefined;
  let isListing = false;
  /** What is searched for; a new search ends the one before. */
  let current: { readonly typed: string; readonly onFound: (found: FoundFiles) => void } | undefined;
  let isScanning = false;
  /** The paths that fitted the last search that came to its end: what is typed on fits some of these only. */
  let narrowed:
    | {
        readonly typed: string;
        readonly listed: Listed;
        readonly count: number;
        readonly at: readonly number[];
      }
    | undefined;

  function begin(): void {
    if (isListing || closing.signal.aborted) return;
    if (listed && now() - listed.atMs < STALE_MS) return;
    isListing = true;
    const fresh: Listed = {
      paths: [],
      bits: [],
      folders: new Set(),
      isWhole: false,
      isCut: false,
      atMs: now(),
    };
    // The one before serves until the new one is whole.
    listed ??= fresh;
    const enough = new AbortController();
    list(
      (paths) => {
        for (const path of paths) take(fresh, path);
        if (fresh.isCut) enough.abort();
        if (listed === fresh) scan();
      },
      AbortSignal.any([closing.signal, enough.signal]),
    )
      .catch((error: unknown) => {
        fresh.problem = error;
      })
      .finally(() => {
        fresh.isWhole = true;
        fresh.atMs = now();
        listed = fresh;
        isListing = false;
        if (current) scan();
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
    into.paths.push(path);
    into.bits.push(letterBits(path.toLowerCase()));
  }

  function scan(): void {
    if (isScanning || !current || !listed) return;
    isScanning = true;
    const search = current;
    const among = listed;
    const { typed } = search;
    const lower = typed.toLowerCase();
    const wanted = letterBits(lower);
    const count = among.paths.length;
    const isNarrow =
      narrowed?.listed === among &&
      narrowed.count === count &&
      typed.startsWith(narrowed.typed) &&
      narrowed.typed !== "";
    const some = isNarrow ? narrowed?.at : undefined;
    const end = some ? some.length : count;
    const best = createBest<string>(MOST_SHOWN);
    const fitting: number[] = [];
    let at = 0;

    function piece(): void {
      if (current !== search || closing.signal.aborted) {
        isScanning = false;
        scan();
        return;
      }
      const until = now() + PIECE_MS;
      for (; at < end; at++) {
        if (at % CLOCK_EVERY === CLOCK_EVERY - 1 && now() >= until) break;
        const index = some ? (some[at] ?? 0) : at;
        if (((among.bits[index] ?? 0) & wanted) !== wanted) continue;
        const path = among.paths[index] ?? "";
        const score = fit(path, lower);
        if (score === Number.NEGATIVE_INFINITY) continue;
        fitting.push(index);
        best.add(path, score);
      }
      if (at < end) {
        later(piece);
        return;
      }
      isScanning = false;
      if (among.isWhole) narrowed = { typed, listed: among, count, at: fitting };
      search.onFound({ paths: best.all(), ...noteOf(among) });
      // More was listed meanwhile.
      if (current === search && listed !== undefined && (listed !== among || listed.paths.length > count))
        later(scan);
    }
    piece();
  }

  return {
    search: (typed, onFound) => {
      current = { typed, onFound };
      begin();
      scan();
    },
    close: () => {
      current = undefined;
      closing.abort();
    },
  };
}

function noteOf({ isWhole, isCut, paths, problem }: Listed): { readonly note?: string } {
  if (problem !== undefined)
    return {
      note: `files cannot be listed: ${String(problem instanceof Error ? problem.message : problem)}`,
    };
  if (isCut) return { note: `only the first ${MOST_PATHS.toLocaleString("en")} files are listed` };
  return isWhole ? {} : { note: `still looking, ${paths.length.toLocaleString("en")} files so far` };
}
