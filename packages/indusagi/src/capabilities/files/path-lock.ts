import { processWide } from "../../core/copies.ts";
import type { Fs } from "../kernel/contract.ts";

const { tails, inners } = processWide("path-locks", () => ({
  tails: new WeakMap<Fs, Map<string, Promise<unknown>>>(),
  inners: new WeakMap<Fs, Fs>(),
}));

/** Makes `outer` share its locks with `inner`, which has the same files. */
export function sharesLocksWith(outer: Fs, inner: Fs): Fs {
  inners.set(outer, inners.get(inner) ?? inner);
  return outer;
}

/**
 * Runs `work` after all earlier work on the same real path of the same file system has ended. Calls of one turn run
 * concurrently; two edits of one file would otherwise both start from the old text, and the later one would undo the earlier.
 */
export async function withPathLock<Result>(
  fs: Fs,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = await fs.realPath(path);
  const files = inners.get(fs) ?? fs;
  const tailOf = tails.get(files) ?? new Map<string, Promise<unknown>>();
  tails.set(files, tailOf);
  const before = tailOf.get(key) ?? Promise.resolve();
  const result = before.then(work);
  const tail = result.then(
    () => undefined,
    () => undefined, // the caller of the failed work gets its error
  );
  tailOf.set(key, tail);
  try {
    return await result;
  } finally {
    if (tailOf.get(key) === tail) tailOf.delete(key);
  }
}
