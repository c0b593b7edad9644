// Which files git keeps as they are: those can be had again after they were removed.

import { join } from "node:path";
import { isInside } from "indusagi/core";
import { type IndexedFile, namesInIndex } from "./git-index.ts";
import { bytesOf, type GitFiles, repositoryAt } from "./git-place.ts";
import { MAX_INDEX_BYTES } from "./git-settings.ts";

/** What a file is like now. */
type FileNow = Pick<IndexedFile, "size" | "modifiedMs">;

/** Whether the repository has the content of the file with this real path. */
export type IsKept = (realPath: string, now: FileNow) => boolean;

/**
 * By the repository of this real folder; never, if there is none, or one that is not understood. As git does, it goes by the size and the time that the
 * index has of a file: another one, or one that is no older than the index, can be a change that git does not have.
 */
export async function keptByGit(folder: string, files: GitFiles): Promise<IsKept> {
  const tracked = new Map<string, IndexedFile>();
  try {
    const place = await repositoryAt(folder, files);
    if (typeof place !== "object") return () => false;
    const path = join(place.folder, "index");
    const { modifiedMs: indexMs } = await files.stat(path);
    const index = await bytesOf(path, MAX_INDEX_BYTES, files);
    if (index === undefined || !isInside(place.top, folder)) return () => false;
    namesInIndex(index, (file) => void tracked.set(join(place.top, file.path), file));
    return (realPath, { size, modifiedMs }) => {
      const then = tracked.get(realPath);
      const isSame = then?.size === size && Math.floor(then.modifiedMs) === Math.floor(modifiedMs);
      return isSame && Math.floor(modifiedMs) < Math.floor(indexMs);
    };
  } catch {
    return () => false; // part of an index is no index
  }
}
