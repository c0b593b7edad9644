// Whether a path is one that an addon may never write, not even with the grant to write files.

import { sep } from "node:path";
import { isInside } from "indusagi/core";
import { protectedBelow } from "../../store/protected-names.ts";

export interface Protection {
  /** The workspace, as a real path: names are protected in it at any depth, even where nothing of that name exists. */
  readonly root: string;
  /** Real paths, including everything below them. */
  readonly places: readonly string[];
}

/** Case does not matter: on some volumes `.GIT` is `.git`. */
export function isProtectedPath(realPath: string, { root, places }: Protection): boolean {
  const path = fold(realPath);
  const isPlace = places.map(fold).some((place) => path === place || path.startsWith(`${place}${sep}`));
  return isPlace || (isInside(root, realPath) && protectedBelow(root, realPath) !== undefined);
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
