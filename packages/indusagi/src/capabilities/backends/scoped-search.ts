import { join, relative } from "node:path";
import type { Fs, FsSearch } from "../kernel/contract.ts";
import { isPassedOver } from "../search/walk.ts";

export interface SearchScope {
  readonly mayRead: (realPath: string) => boolean;
  /** Runs `work` at the real path of `root`, if that may be read. */
  readonly within: <Result>(root: string, work: (real: string) => Promise<Result>) => Promise<Result>;
}

/** `search`, whose hits are left out where the scope may not read; their paths stay below the root as asked. */
export function scopedSearch(inner: Fs, search: FsSearch, { mayRead, within }: SearchScope): FsSearch {
  return {
    grep: (query, signal) =>
      within(query.root, async (root) => {
        const found = await search.grep({ ...query, root }, signal);
        if (!found) return undefined;
        const readable = await readablePaths(inner, mayRead, new Set(found.hits.map((hit) => hit.path)));
        const hits = found.hits
          .filter((hit) => readable.has(hit.path))
          .map((hit) => ({ ...hit, path: join(query.root, relative(root, hit.path)) }));
        // Forbidden hits used up the cap: the portable walker, which sees permitted files only, has to answer.
        if (found.truncated && hits.length < found.hits.length) return undefined;
        return { ...found, hits };
      }),
  };
}

async function readablePaths(
  inner: Fs,
  mayRead: (realPath: string) => boolean,
  paths: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const isReadable = async (path: string): Promise<boolean> => {
    try {
      return mayRead(await inner.realPath(path));
    } catch (error) {
      if (isPassedOver(error)) return false; // it went away meanwhile
      throw error;
    }
  };
  const answers = await Promise.all(Array.from(paths, isReadable));
  return new Set(Array.from(paths).filter((_, index) => answers[index]));
}
