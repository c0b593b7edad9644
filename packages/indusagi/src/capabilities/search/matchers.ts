// How the portable search matches: what is bounded in this process, everything else on a thread, which also reads the files if the
// seam's paths are real disk paths.

import { Aborted } from "../../core/abort.ts";
import { errorCode } from "../../core/faults.ts";
import type { Fs, GrepQuery, SearchOmissions } from "../kernel/contract.ts";
import { createLineMatcher, isBinary, type LineHit, MAX_FILE_BYTES, utf8Of } from "./line-match.ts";
import { addOmissions, createOmissions, type Omissions } from "./omissions.ts";
import { parsePattern, type SearchPattern } from "./pattern.ts";
import { createTurns } from "./turns.ts";
import { countUnread } from "./walk.ts";

const PATHS_PER_BATCH = 64;

// Each can be up to 2 MiB.
const CONTENTS_PER_BATCH = 16;

export interface Matches {
  /** `file` is an index into the batch. */
  readonly hits: readonly (LineHit & { readonly file: number })[];
  readonly omissions: SearchOmissions;
}

interface Matcher {
  readonly batchSize: number;
  /** Matches files, each given by its path or its UTF-8 content. Batches are answered in the order they are given. */
  readonly match: (files: readonly (string | Uint8Array)[], maxHits: number) => Promise<Matches>;
  readonly close: () => Promise<void>;
}

interface MatcherOptions {
  readonly signal: AbortSignal;
  /** There are few files: not worth a thread to read them. */
  readonly isSmall: boolean;
  /** The real path of the query's root, for a thread that reads files. */
  readonly realRoot?: string;
}

/** A matcher for `query`; `close` must be called. Rejects with `PatternError`. */
export async function createMatcher(
  fs: Fs,
  query: GrepQuery,
  { signal, isSmall, realRoot = query.root }: MatcherOptions,
): Promise<Matcher> {
  const pattern = { ...parsePattern(query.pattern), ignoreCase: query.ignoreCase };
  const opensPaths = fs.search?.opensPaths === true && !isSmall;
  if (pattern.isBounded && !opensPaths) return matcherHere(fs, pattern, signal);
  const { startMatchThread } = await import("./match-thread.ts"); // few searches need it
  const thread = startMatchThread(pattern, { root: query.root, realRoot }, signal);
  if (opensPaths) return { batchSize: PATHS_PER_BATCH, ...thread };
  return {
    batchSize: CONTENTS_PER_BATCH,
    match: async (files, maxHits) => {
      const omissions = createOmissions();
      const contents = await readAll(fs, files, omissions);
      const matches = await thread.match(
        contents.map((bytes) => bytes ?? EMPTY),
        maxHits,
      );
      addOmissions(omissions, matches.omissions);
      return { hits: matches.hits, omissions };
    },
    close: thread.close,
  };
}

const EMPTY = new Uint8Array();

function matcherHere(fs: Fs, pattern: SearchPattern, signal: AbortSignal): Matcher {
  const match = createLineMatcher(pattern);
  const takeTurns = createTurns();
  return {
    batchSize: CONTENTS_PER_BATCH,
    match: async (files, maxHits) => {
      const omissions = createOmissions();
      const contents = await readAll(fs, files, omissions);
      const hits: (LineHit & { file: number })[] = [];
      for (const [file, bytes] of contents.entries()) {
        if (bytes === undefined || hits.length >= maxHits) continue;
        for (const hit of match(bytes, maxHits - hits.length)) hits.push({ file, ...hit });
        await takeTurns();
        if (signal.aborted) throw new Aborted();
      }
      return { hits, omissions };
    },
    close: () => Promise.resolve(),
  };
}

/** Undefined for a file that a search skips and counts. Content passed in is used as it is. */
function readAll(
  fs: Fs,
  files: readonly (string | Uint8Array)[],
  omissions: Omissions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const readOne = async (file: string | Uint8Array): Promise<Uint8Array | undefined> => {
    if (typeof file !== "string") return file;
    try {
      const bytes = await fs.readBytes(file, { start: 0, maxBytes: MAX_FILE_BYTES + 1 });
      if (bytes.length > MAX_FILE_BYTES) omissions.tooLarge++;
      else if (isBinary(bytes)) omissions.binary++;
      else return utf8Of(bytes);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      if (errorCode(error) === "EINVAL") omissions.special++;
      else countUnread(omissions, file, error);
    }
    return undefined;
  };
  return Promise.all(files.map(readOne));
}
