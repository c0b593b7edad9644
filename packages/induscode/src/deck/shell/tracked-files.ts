// Which files git tracks: those can be had again after they were removed.

import { join } from "node:path";
import { isInside } from "indusagi/core";
import { namesInIndex } from "./git-index.ts";
import { bytesOf, type GitFiles, repositoryAt } from "./git-place.ts";
import { MAX_INDEX_BYTES } from "./git-settings.ts";

/** The real paths of the files that the repository of this real folder tracks; none if there is no repository, or one that is not understood. */
export async function trackedFiles(folder: string, files: GitFiles): Promise<ReadonlySet<string>> {
  const tracked = new Set<string>();
  try {
    const place = await repositoryAt(folder, files);
    if (typeof place !== "object") return tracked;
    const index = await bytesOf(join(place.folder, "index"), MAX_INDEX_BYTES, files);
    if (index === undefined || !isInside(place.top, folder)) return tracked;
    namesInIndex(index, (path) => void tracked.add(join(place.top, path)));
    return tracked;
  } catch {
    return new Set(); // part of an index is no index
  }
}
