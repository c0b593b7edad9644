// Content search below a folder without a native program.

import { Aborted } from "../../core/abort.ts";
import { monotonicMs } from "../../core/clock.ts";
import type { Fs, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { grepFile } from "./file-grep.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { createMatcher, type Matches } from "./matchers.ts";
import { addOmissions, presentOmissions } from "./omissions.ts";
import { createTally, type WalkTally, walkInRuns } from "./walk.ts";

// One batch is read while another is matched; a third keeps both busy.
const BATCHES_AT_ONCE = 3;

interface GrepOptions {
  readonly signal: AbortSignal;
  /** The files to search, in walk order, if they are already known. */
  readonly files?: readonly string[];
}

/** Searches `query.root`, a file or a folder, in walk order. */
export async function portableGrep(fs: Fs, query: GrepQuery, options: GrepOptions): Promise<GrepResult> {
  const { signal, files } = options;
  const isFile = query.isFile ?? !(await fs.stat(query.root)).isDirectory;
  if (isFile) return grepFile(fs, query, signal);
  const wanted = query.maxHits + 1; // one extra shows whether there are more
  const endMs = monotonicMs() + (query.maxMs ?? Number.POSITIVE_INFINITY);
  const isSmall = files !== undefined;
  const realRoot = isSmall ? query.root : await fs.realPath(query.root);
  const matcher = await createMatcher(fs, query, { signal, isSmall, realRoot });
  const tally = createTally();
  const hits: GrepHit[] = [];
  const pending: { readonly paths: readonly string[]; readonly matches: Promise<Matches> }[] = [];
  const takeOldest = async (): Promise<void> => {
    const batch = pending.shift();
    if (batch === undefined) return;
    const { hits: found, omissions } = await batch.matches;
    for (const { file, ...hit } of found) hits.push({ path: batch.paths[file] ?? "", ...hit });
    addOmissions(tally, omissions);
  };
  try {
    const found = files === undefined ? filesBelow(fs, query, { signal, tally }) : [files];
    for await (const paths of inBatches(found, matcher.batchSize)) {
      if (signal.aborted) throw new Aborted();
      if (monotonicMs() > endMs)
        return { hits: hits.slice(0, query.maxHits), truncated: false, timedOut: true };
      const matches = matcher.match(paths, wanted);
      matches.catch(() => undefined); // read below, unless an older batch ends the search
      pending.push({ paths, matches });
      if (pending.length === BATCHES_AT_ONCE) await takeOldest();
      if (hits.length >= wanted) break;
    }
    while (pending.length > 0 && hits.length < wanted) await takeOldest();
    if (hits.length >= wanted) return { hits: hits.slice(0, query.maxHits), truncated: true };
    return { hits, truncated: false, ...presentOmissions(tally) };
  } finally {
    await matcher.close();
  }
}

interface FilesOptions {
  readonly signal: AbortSignal;
  readonly tally: WalkTally;
}

/** The files to search below `root`, a folder, in walk order: everything that is neither a folder nor a link. */
export async function* filesBelow(
  fs: Fs,
  { root, respectGitignore }: Pick<GrepQuery, "root" | "respectGitignore">,
  { signal, tally }: FilesOptions,
): AsyncGenerator<readonly string[], void, undefined> {
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
