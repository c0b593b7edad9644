// Where git finds what a working tree does not hold itself: a `.git` that is a file, and settings that name another folder. Includes are
// not followed.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { readBoundedFile } from "indusagi/core";

/** The repository's location according to a `.git` that is a file (a worktree, a submodule). */
export function linkedGitFolder(path: string): string | undefined {
  // A folder, nothing, or something git would not read either: then only the name is protected.
  const target = /^gitdir: (.+)$/m.exec(gitFile(path) ?? "")?.[1];
  return target === undefined ? undefined : realPath(resolve(path, "..", target.trim()));
}

// One line with a path, or settings. A repository may put anything there: a pipe, a device, an endless file.
const MAX_BYTES = 64 * 1024;

/** One of git's own files; undefined if there is none that git would read. */
export function gitFile(path: string): string | undefined {
  try {
    return readBoundedFile(realPath(path), MAX_BYTES).toString("utf8");
  } catch {
    return undefined;
  }
}

/** The value of `core.<name>` in a repository's settings. */
export function coreSetting(config: string, name: "worktree" | "hooksPath"): string | undefined {
  let isCore = false;
  let value: string | undefined;
  for (const line of (gitFile(config) ?? "").split(/\r?\n/)) {
    const [, section, rest = line] = /^\s*\[([^\]]*)\](.*)$/.exec(line) ?? [];
    if (section !== undefined) isCore = section.trim().toLowerCase() === "core";
    const [, key = "", set = ""] = /^(\w+)[ \t]*=(.*)$/.exec(rest.trim()) ?? [];
    if (isCore && key.toLowerCase() === name.toLowerCase())
      value = (set.split(/[#;]/, 1)[0] ?? "").trim().replace(/^"(.*)"$/, "$1");
  }
  return value === "" ? undefined : value;
}

/** The path itself where it leads nowhere. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
