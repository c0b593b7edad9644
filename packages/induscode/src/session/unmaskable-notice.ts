// Which secrets cannot be hidden, reported once per home.

import { readBoundedFile } from "indusagi/core";
import type { Secrets } from "../cli/secrets.ts";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { replaceFile } from "../store/replace-file.ts";

/** Names whose values cannot be hidden; each is reported once per home folder. */
export function unmaskableNotice(
  home: string,
  { unmaskable }: Pick<Secrets, "unmaskable">,
): readonly string[] {
  if (unmaskable.size === 0) return [];
  const path = homePath(home, "unmaskableSecrets");
  const known = new Set(readLines(path));
  const added = [...unmaskable].filter(([name]) => !known.has(name));
  if (added.length === 0) return [];
  try {
    replaceFile(path, [...known, ...added.map(([name]) => name), ""].join("\n"));
  } catch {
    // An unwritable home has its own notices; this one is repeated.
  }
  const names = added.map(([name, why]) => `${name} (${why})`).join(", ");
  return [`${names} cannot be masked and may appear in logs and on the screen. This is reported only once`];
}

function readLines(path: string): readonly string[] {
  try {
    return readBoundedFile(path, HOME_FILES.unmaskableSecrets.maxBytes)
      .toString("utf8")
      .split("\n")
      .filter(Boolean);
  } catch {
    return []; // nothing was reported before
  }
}
