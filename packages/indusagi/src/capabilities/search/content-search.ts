// Content search with the fastest engine for the case: this process for a few files, ripgrep for many, the portable walker if
// there is no ripgrep or it would interpret an ignore file differently. All give the same hits.

import type { Fs, GrepQuery, GrepResult, SearchOmissions } from "../kernel/contract.ts";
import { grepFile } from "./file-grep.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { MAX_FILE_BYTES } from "./line-match.ts";
import { addOmissions, createOmissions, presentOmissions } from "./omissions.ts";
import { parsePattern } from "./pattern.ts";
import { filesBelow, portableGrep } from "./portable-grep.ts";
import { createTally, type WalkTally, walkInRuns } from "./walk.ts";

/** A search stops here with what it has found. */
const MAX_MS = 60_000;

// Reading this many files here takes half as long as starting ripgrep (4 ms, not 8), which slows down as our memory grows.
const IN_PROCESS_FILES = 40;

/**
 * Searches below `query.root`. What is bounded is searched for here in a small tree; of a larger one a literal is first searched
 * for in the first files of the walk, where a text that is everywhere reaches the limit. Throws `PatternError` and `Aborted`.
 */
export async function searchContent(fs: Fs, asked: GrepQuery, signal: AbortSignal): Promise<GrepResult> {
  const { isDirectory, size } = await fs.stat(asked.root);
  const query: GrepQuery = { maxMs: MAX_MS, isFile: !isDirectory, ...asked };
  if (query.isFile) {
    const isCheap = size <= MAX_FILE_BYTES && parsePattern(query.pattern).isBounded;
    const native = isCheap ? undefined : await nativeGrep(fs, query, signal);
    return native ?? grepFile(fs, query, signal);
  }
  if (fs.search === undefined) return portableGrep(fs, query, { signal });
  const { isBounded, literal } = parsePattern(query.pattern);
  if (isBounded) {
    const { files, isAll, tally } = await openingFiles(fs, query, signal);
    if (isAll || literal !== undefined) {
      const result = await portableGrep(fs, query, { signal, files });
      if (result.truncated || result.timedOut) return result;
      if (isAll) return withTally(result, tally);
    }
  }
  return (await nativeGrep(fs, query, signal)) ?? portableGrep(fs, query, { signal });
}

interface OpeningFiles {
  readonly files: readonly string[];
  readonly isAll: boolean;
  readonly tally: WalkTally;
}

async function openingFiles(fs: Fs, query: GrepQuery, signal: AbortSignal): Promise<OpeningFiles> {
  const files: string[] = [];
  const tally = createTally();
  for await (const run of filesBelow(fs, query, { signal, tally })) {
    files.push(...run.slice(0, IN_PROCESS_FILES + 1 - files.length));
    if (files.length > IN_PROCESS_FILES)
      return { files: files.slice(0, IN_PROCESS_FILES), isAll: false, tally };
  }
  return { files, isAll: true, tally };
}

function withTally(result: GrepResult, more: SearchOmissions): GrepResult {
  const omissions = createOmissions();
  addOmissions(omissions, result);
  addOmissions(omissions, more);
  return { ...result, ...presentOmissions(omissions) };
}

/** The hits as ripgrep finds them, and what it left out; undefined if the portable walker has to answer. */
export async function nativeGrep(
  fs: Fs,
  query: GrepQuery,
  signal: AbortSignal,
): Promise<GrepResult | undefined> {
  const isFile = query.isFile ?? !(await fs.stat(query.root)).isDirectory;
  if (!query.respectGitignore || isFile)
    return fs.search?.grep({ ...query, isFile, respectGitignore: false }, signal);
  // The walk counts what ripgrep will leave out, and finds ignore files that must not reach it: it would follow a link to a
  // device, wait on a pipe, and interpret some rules differently.
  const tally = createTally();
  const scope = await openIgnoreScope(fs, query.root, tally);
  for await (const _run of walkInRuns({ fs, root: query.root, signal, scope, tally, isCounting: true }))
    if (!tally.isPlain) break;
  if (!tally.isPlain) return undefined;
  const result = await fs.search?.grep({ ...query, isInRepository: scope.isInRepository }, signal);
  const isWhole = result !== undefined && !result.truncated && !result.timedOut;
  return isWhole ? withTally(result, { ignored: tally.ignored }) : result;
}
