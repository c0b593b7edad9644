// What lies at a path, where an answer is wanted in any case.

import { lstatSync, realpathSync, statSync } from "node:fs";

/** Whether something is there, also a link that leads nowhere. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** False for what is missing or out of reach, too: whoever loads it will say which. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The real path of what exists, else the path itself. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
