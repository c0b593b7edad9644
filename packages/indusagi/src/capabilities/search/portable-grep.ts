// Content search without a native program. Literals through the file seam are matched here, everything else on a
// thread; where the seam's paths are the disk's own, the thread reads the files too.

import { Aborted } from "../../core/abort.ts";
import { errorCode } from "../../core/faults.ts";
import type { Fs, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { createLiteralMatcher, isBinary, MAX_FILE_BYTES } from "./line-match.ts";
import { startMatchThread } from "./match-thread.ts";
import { parsePattern, type SearchPattern } from "./pattern.ts";
import { createTurns } from "./turns.ts";
import { createTally, isGone, type WalkTally, walkInRuns } from "./walk.ts";

const PATHS_PER_BATCH = 64;

// Each may hold 2 MiB.
const CONTENTS_PER_BATCH = 16;

// One batch is read while another is matched; a third keeps both busy.
const BATCHES_AT_ONCE = 3;

interface BatchHits {
  readonly hits: readonly GrepHit[];
  readonly unreadable: number;
}

interface Matcher {
  readonly batchSize: number;
  /** Batches are answered in the order they are given. */
  readonly match: (paths: readonly string[], maxHits: number) => Promise<BatchHits>;
  readonly close: () => Promise<void>;
}

export interface GrepOptions {
  readonly signal: AbortSignal;
  /** The files to search, in walk order, when they are known already. */
  readonly files?: readonly string[];
}

/** Searches `query.root`, a file or a folder, in walk order. */
export async function portableGrep(fs: Fs, query: GrepQuery, options: GrepOptions): Promise<GrepResult> {
  const { signal, files } = options;
  const wanted = query.maxHits + 1; // one more tells whether there are more
  const matcher = createMatcher(fs, query, options);
  const tally = createTally();
  const hits: GrepHit[] = [];
  const pending: Promise<BatchHits>[] = [];
  const takeOldest = async (): Promise<void> => {
    const batch = await pending.shift();
    hits.push(...(batch?.hits ?? []));
    tally.unreadable += batch?.unreadable ?? 0;
  };
  try {
    const found = files === undefined ? filesBelow(fs, query, { signal, tally }) : [files];
    for await (const paths of inBatches(found, matcher.batchSize)) {
      if (signal.aborted) throw new Aborted();
      const batch = matcher.match(paths, wanted);
      batch.catch(() => undefined); // read below, unless an older batch ends the search
      pending.push(batch);
      if (pending.length === BATCHES_AT_ONCE) await takeOldest();
      if (hits.length >= wanted) break;
    }
    while (pending.length > 0 && hits.length < wanted) await takeOldest();
    if (hits.length >= wanted) return { hits: hits.slice(0, query.maxHits), truncated: true };
    return {
      hits,
      truncated: false,
      ...(tally.unreadable > 0 && { unreadable: tally.unreadable }),
      ...(tally.ignored > 0 && { ignored: tally.ignored }),
    };
  } finally {
    await matcher.close();
  }
}

interface FilesOptions {
  readonly signal: AbortSignal;
  readonly tally: WalkTally;
}

/** The regular files to search, in walk order: `root` itself when it is one. */
export async function* filesBelow(
  fs: Fs,
  { root, respectGitignore }: Pick<GrepQuery, "root" | "respectGitignore">,
  { signal, tally }: FilesOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  if (!(await fs.stat(root)).isDirectory) {
    yield [root];
    return;
  }
  const scope = respectGitignore ? await openIgnoreScope(fs, root, tally) : undefined;
  for await (const run of walkInRuns({ fs, root, signal, tally, scope })) {
    yield run.filter((entry) => !entry.isDirectory && !entry.isSymlink).map((entry) => entry.path);
  }
}

async function* inBatches(
  runs: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
  size: number,
): AsyncGenerator<readonly string[], void, undefined> {
  let batch: string[] = [];
  for await (const run of runs) {
    for (const path of run) {
      batch.push(path);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function createMatcher(fs: Fs, query: GrepQuery, { signal, files }: GrepOptions): Matcher {
  const pattern = { ...parsePattern(query.pattern), ignoreCase: query.ignoreCase };
  const opensPaths = fs.search?.opensPaths === true && files === undefined;
  if (pattern.literal !== undefined && !opensPaths)
    return literalMatcher(fs, pattern.literal, query.ignoreCase);
  return threadMatcher(pattern, signal, opensPaths ? undefined : fs);
}

function literalMatcher(fs: Fs, literal: string, ignoreCase: boolean): Matcher {
  const match = createLiteralMatcher(literal, ignoreCase);
  const takeTurns = createTurns();
  return {
    batchSize: CONTENTS_PER_BATCH,
    match: async (paths, maxHits) => {
      const { contents, unreadable } = await readAll(fs, paths);
      const hits: GrepHit[] = [];
      for (const [index, path] of paths.entries()) {
        const bytes = contents[index];
        if (bytes === undefined || hits.length >= maxHits) continue;
        for (const hit of match(bytes, maxHits - hits.length)) hits.push({ path, ...hit });
        await takeTurns();
      }
      return { hits, unreadable };
    },
    close: () => Promise.resolve(),
  };
}

/** Without `fs`, the thread reads the files itself. */
function threadMatcher(pattern: SearchPattern, signal: AbortSignal, fs: Fs | undefined): Matcher {
  const thread = startMatchThread(pattern, signal);
  return {
    batchSize: fs === undefined ? PATHS_PER_BATCH : CONTENTS_PER_BATCH,
    match: async (paths, maxHits) => {
      const read = fs && (await readAll(fs, paths));
      const sources = read?.contents.map((bytes) => bytes ?? EMPTY) ?? paths;
      const { hits, unreadable } = await thread.match(sources, maxHits);
      return {
        hits: hits.map(({ file, line, text }) => ({ path: paths[file] ?? "", line, text })),
        unreadable: unreadable + (read?.unreadable ?? 0),
      };
    },
    close: thread.close,
  };
}

const EMPTY = new Uint8Array();

interface Contents {
  /** Undefined for a file that a search passes over. */
  readonly contents: readonly (Uint8Array | undefined)[];
  readonly unreadable: number;
}

async function readAll(fs: Fs, paths: readonly string[]): Promise<Contents> {
  let unreadable = 0;
  const readOne = async (path: string): Promise<Uint8Array | undefined> => {
    try {
      const bytes = await fs.readBytes(path, { start: 0, maxBytes: MAX_FILE_BYTES + 1 });
      return bytes.length > MAX_FILE_BYTES || isBinary(bytes) ? undefined : bytes;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      if (!isGone(error)) unreadable++;
      return undefined;
    }
  };
  return { contents: await Promise.all(paths.map(readOne)), unreadable };
}
