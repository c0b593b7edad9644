// Makes folders of the home. What stands in the way is said as it is: Node's own recursive call says of a file system that is read-only,
// and of a link that leads nowhere, that the folder is not there.

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "indusagi/core";

/** Makes the folder and those above it that are missing, for the person alone unless `mode` says otherwise. */
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
