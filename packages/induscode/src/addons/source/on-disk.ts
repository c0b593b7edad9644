// What is at a path, for callers that need an answer in any case.

import { lstatSync, realpathSync, statSync } from "node:fs";

/** Whether something is there, including a broken link. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** False also if it is missing or unreachable: loading it will report which. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The real path if it exists, otherwise the path itself. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
