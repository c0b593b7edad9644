// Creates folders in the home and reports the real cause of a failure: Node's own recursive call reports a read-only file system, or
// a dangling symlink, as a missing folder.

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "indusagi/core";

/** Creates the folder and its missing parents, accessible to the person alone unless `mode` says otherwise. */
export function makeFolder(path: string, { mode = 0o700 }: { readonly mode?: number } = {}): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    const above = dirname(path);
    if (above !== path && !existsSync(above)) makeFolder(above, { mode });
    mkdirSync(path, { mode });
  }
}
