// Whether a path is one that an addon never writes, not even with the grant to write files.

import { sep } from "node:path";

/** Whether `realPath` is one of `places` or below one. Case does not matter: on some volumes `.GIT` is `.git`. */
export function isProtectedPath(realPath: string, places: readonly string[]): boolean {
  const path = fold(realPath);
  return places.map(fold).some((place) => path === place || path.startsWith(`${place}${sep}`));
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
