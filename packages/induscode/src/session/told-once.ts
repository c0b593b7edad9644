// What is told once per home: the names of what was told are kept there.

import { readBoundedFile } from "indusagi/core";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { replaceFile } from "../store/replace-file.ts";

/** More are forgotten, the oldest first, and told again. */
const MOST = 2_000;

/** Those of `names`, one a line, that were not told before; from now on they were. */
export function untold(
  home: string,
  file: "unmaskableSecrets" | "toldFiles",
  names: readonly string[],
): readonly string[] {
  if (names.length === 0) return [];
  const path = homePath(home, file);
  const known = new Set(readLines(path, HOME_FILES[file].maxBytes));
  const added = names.filter((name) => !known.has(name));
  if (added.length === 0) return [];
  try {
    replaceFile(path, [...[...known, ...added].slice(-MOST), ""].join("\n"));
  } catch {
    // An unwritable home has its own notices; these are told again.
  }
  return added;
}

function readLines(path: string, maxBytes: number): readonly string[] {
  try {
    return readBoundedFile(path, maxBytes).toString("utf8").split("\n").filter(Boolean);
  } catch {
    return []; // nothing was told before
  }
}
