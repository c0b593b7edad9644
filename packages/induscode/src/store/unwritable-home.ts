// Why nothing can be written in the home, and what to do: the disk is full, it is read-only, or it is somebody else's.

import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { describeError } from "indusagi/core";

/** Below this many bytes, hardly a log can be begun. */
const LITTLE_BYTES = 64 * 1024;
const INSTEAD = "Set INDUS_HOME to a folder that can be written";

/** One line; undefined if files can be written there. Writes nothing: of a home that does not exist yet, the folder that it would be in is looked at. */
export function unwritableHome(home: string): string | undefined {
  let place = home;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const what = place === home ? home : `${home} does not exist, and ${place}`;
  try {
    accessSync(place, constants.W_OK);
    const { bavail, bsize } = statfsSync(place);
    // Some file systems know of no limit, and say 0 blocks of 0 bytes.
    if (bsize === 0 || bavail * bsize >= LITTLE_BYTES) return undefined;
    return `${what} has no room: its disk is full. No session can be kept. Make room, or set INDUS_HOME`;
  } catch (error) {
    return `${what} cannot be written: ${describeError(error)}. No session can be kept. ${INSTEAD}`;
  }
}

/** As the system says it, and as Node's removal of a folder does, whose errors have another code. */
const REFUSAL = /\b(?:EROFS|EACCES|EPERM)\b|read-only file system|permission denied/i;

/** What to do about an error of the system that a file in the home could not be written; undefined if it is another one. */
export function adviceOnHome(error: unknown, home: string): string | undefined {
  const said = describeError(error);
  return REFUSAL.test(said) && said.includes(home) ? `(${INSTEAD})` : undefined;
}
