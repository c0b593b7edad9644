// Which files git keeps as they are: those can be had again after they were removed.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { isInside } from "indusagi/core";
import { namesInIndex } from "./git-index.ts";
import { bytesOf, type GitFiles, repositoryAt } from "./git-place.ts";
import { MAX_INDEX_BYTES } from "./git-settings.ts";

/** In bytes; whether git keeps a longer file is not looked up. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Whether the repository has the content of the file with this real path, byte for byte. */
export type IsKept = (realPath: string) => Promise<boolean>;

/**
 * By the repository of this real folder; never, if there is none, or one that is not understood. A file's own bytes must be those of its
 * blob: what a filter, an encoding or other line ends made of them is not what git could give back.
 */
export async function keptByGit(folder: string, files: GitFiles): Promise<IsKept> {
  const blobs = new Map<string, string>();
  try {
    const place = await repositoryAt(folder, files);
    if (typeof place !== "object") return never;
    const index = await bytesOf(join(place.folder, "index"), MAX_INDEX_BYTES, files);
    if (index === undefined || !isInside(place.top, folder)) return never;
    namesInIndex(index, ({ path, blob }) => void blobs.set(join(place.top, path), blob));
    return async (realPath) => {
      const blob = blobs.get(realPath);
      if (blob === undefined) return false;
      const bytes = await bytesOf(realPath, MAX_FILE_BYTES, files).catch(() => undefined);
      return bytes !== undefined && blobHash(bytes) === blob;
    };
  } catch {
    return never; // part of an index is no index
  }
}

const never: IsKept = async () => false;

/** As git names it. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function blobHash(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
