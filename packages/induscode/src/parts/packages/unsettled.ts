// Whether an update of a package was begun and not ended. Every start looks, so this loads nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { homePath } from "../../store/home-files.ts";

/** Where the former folder of a package is while another one takes its place. */
export const BEFORE = ".before";

export function isUnsettled(home: string): boolean {
  return existsSync(join(homePath(home, "packages"), BEFORE));
}
