// A program on the person's PATH that nobody else can have put there: the sandbox itself must not come from what it confines.

import { accessSync, constants, lstatSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "indusagi/core";

/** Where programs are looked for. */
export interface ProgramSearch {
  /** The person's PATH. */
  readonly path: string | undefined;
  /** Nothing in it counts. */
  readonly workspace: string;
}

/** The real path of the first one that is neither in the workspace nor where others may write; undefined if there is none. */
export function programOnPath(name: string, { path = "", workspace }: ProgramSearch): string | undefined {
  const apart = realOf(workspace) ?? workspace;
  for (const folder of path.split(delimiter)) {
    const place = isAbsolute(folder) ? realOf(folder) : undefined;
    const found = place === undefined ? undefined : join(place, name);
    const real = found === undefined ? undefined : realOf(found);
    if (found === undefined || real === undefined || !isExecutable(real)) continue;
    if ([found, real].every((each) => !isInside(apart, each) && isOnlyOurs(each))) return real;
  }
  return undefined;
}

/** The system's or the person's, with all folders above: nobody else can put another in its place. */
function isOnlyOurs(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  if (uid !== 0 && uid !== process.getuid?.()) return false;
  const isLink = (mode & constants.S_IFMT) === constants.S_IFLNK;
  // In a sticky folder, others can only add, as in /tmp.
  const isOpen = !isLink && (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  return !isOpen && (path === dirname(path) || isOnlyOurs(dirname(path)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return lstatSync(path).isFile();
  } catch {
    return false; // not permitted
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // there is none
  }
}
