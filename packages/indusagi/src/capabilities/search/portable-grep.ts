// Content search on nothing but the file seam: literals are matched here, regular expressions on a thread.

import { Aborted } from "../../core/abort.ts";
import type { Fs, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { createLiteralMatcher, isBinary, type LineHit, MAX_FILE_BYTES } from "./line-match.ts";
import { parsePattern } from "./pattern.ts";
import { startRegexWorker } from "./regex-worker.ts";
import { isPassedOver, walk } from "./walk.ts";

const FILES_AT_ONCE = 16; // four threads read; a few more keep them busy

interface Matcher {
  readonly match: (bytes: Uint8Array, maxHits: number) => readonly LineHit[] | Promise<readonly LineHit[]>;
  readonly close: () => Promise<void>;
}

/** Searches `query.root`, a file or a folder, in walk order; `files` when it has been walked already. */
export async function portableGrep(
  fs: Fs,
  query: GrepQuery,
  options: { readonly signal: AbortSignal; readonly files?: readonly string[] },
): Promise<GrepResult> {
  const { signal } = options;
  const matcher = createMatcher(query, signal);
  const hits: GrepHit[] = [];
  const wanted = query.maxHits + 1; // one more tells whether there are more
  try {
    for await (const batch of inBatches(options.files ?? filesBelow(fs, query.root, signal))) {
      if (signal.aborted) throw new Aborted();
      const contents = await Promise.all(batch.map((path) => readSearchable(fs, path)));
      for (const [index, path] of batch.entries()) {
        const bytes = contents[index];
        if (bytes === undefined) continue;
        for (const hit of await matcher.match(bytes, wanted - hits.length)) hits.push({ path, ...hit });
        if (hits.length >= wanted) return { hits: hits.slice(0, query.maxHits), truncated: true };
      }
    }
    return { hits, truncated: false };
  } finally {
    await matcher.close();
  }
}

function createMatcher(query: GrepQuery, signal: AbortSignal): Matcher {
  const { literal } = parsePattern(query.pattern);
  if (literal === undefined) return startRegexWorker(query.pattern, query.ignoreCase, signal);
  return { match: createLiteralMatcher(literal, query.ignoreCase), close: () => Promise.resolve() };
}

/** The regular files to search, in walk order: `root` itself when it is one. */
export async function* filesBelow(
  fs: Fs,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  if (!(await fs.stat(root)).isDirectory) {
    yield root;
    return;
  }
  for await (const entry of walk({ fs, root, signal })) {
    if (!entry.isDirectory && !entry.isSymlink) yield entry.path;
  }
}

async function* inBatches(
  paths: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<readonly string[], void, undefined> {
  let batch: string[] = [];
  for await (const path of paths) {
    batch.push(path);
    if (batch.length < FILES_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** The bytes of a text file within the size limit; undefined for a file that a search passes over. */
async function readSearchable(fs: Fs, path: string): Promise<Uint8Array | undefined> {
  try {
    const bytes = await fs.readBytes(path, { start: 0, maxBytes: MAX_FILE_BYTES + 1 });
    return bytes.length > MAX_FILE_BYTES || isBinary(bytes) ? undefined : bytes;
  } catch (error) {
    if (isPassedOver(error)) return undefined;
    throw error;
  }
}
