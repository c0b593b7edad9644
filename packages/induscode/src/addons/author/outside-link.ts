// Where an author's files may be written: a link in a repository must not choose the place.

import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { describeError, isInside } from "indusagi/core";
import { exists } from "../source/on-disk.ts";

/** Resolves the part of the path that exists; undefined if it stays inside `within`. */
export function leadsOut(folder: string, within: string): string | undefined {
  let existing = folder;
  while (!exists(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (isInside(existing, within)) return undefined; // nothing below `within` exists yet
  try {
    const real = realpathSync(existing);
    if (isInside(realpathSync(within), real)) return undefined;
    return `${existing} points to ${real}, outside ${within}: nothing is written through such a link`;
  } catch (error) {
    return `${folder} cannot be used: ${describeError(error)}`;
  }
}
