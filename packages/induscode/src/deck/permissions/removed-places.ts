// What a command would remove: only files that can be had again, or that this session made, pass like an edit.

import { basename, dirname, join } from "node:path";
import type { GitFiles } from "../shell/git-place.ts";
import { type IsKept, keptByGit } from "../shell/tracked-files.ts";

/** Whether this session made the file with this real path. */
export type IsOwnFile = (realPath: string) => boolean;

/** More are asked about: each is a path to look up. */
const MAX_REMOVED = 1_000;

/**
 * All files and folders that go with these, which are absolute paths; undefined if one of them is a link, or leads through one, or is
 * neither kept by git as it is nor this session's. Folders only if `isDeep`.
 */
export async function removedPlaces(
  paths: readonly string[],
  isDeep: boolean,
  { files, isOwnFile }: { readonly files: GitFiles; readonly isOwnFile: IsOwnFile },
): Promise<readonly string[] | undefined> {
  const byFolder = new Map<string, Promise<IsKept>>();
  const isKept: IsKept = async (path) => {
    const folder = dirname(path);
    const known = byFolder.get(folder) ?? keptByGit(folder, files);
    byFolder.set(folder, known);
    return (await known)(path);
  };
  const removed: string[] = [];
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (removed.push(path) > MAX_REMOVED || !(await isItself(path, files))) return undefined;
    const found = await files.stat(path).catch(() => undefined);
    if (found?.isFile) {
      if (!isOwnFile(path) && !(await isKept(path))) return undefined;
    } else if (found?.isDirectory && isDeep) {
      const below = await files.readDir(path).catch(() => undefined);
      // An empty folder is nobody's: git does not track it.
      if (below === undefined || below.length === 0 || below.some(({ isSymlink }) => isSymlink))
        return undefined;
      open.push(...below.map(({ name }) => join(path, name)));
    } else return undefined;
  }
  return removed;
}

/** Neither a link nor in a folder that is reached by one. */
async function isItself(path: string, files: GitFiles): Promise<boolean> {
  try {
    const [own, folder] = await Promise.all([files.realPath(path), files.realPath(dirname(path))]);
    return own === path && own === join(folder, basename(path));
  } catch {
    return false;
  }
}
