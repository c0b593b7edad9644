// The files that a session's calls have written so far, with their states as last seen.

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { nowMs } from "indusagi/core";
import type { FileContents, FileState } from "./file-contents.ts";
import { plainFile, whatIsAt } from "./known-files.ts";
import { isAsSeen, NOT_SEEN, type SeenFile, seenAs } from "./seen-file.ts";

/** Paths are relative to the working folder. */
export interface WrittenFiles {
  readonly paths: () => Iterable<string>;
  /** It is these now, in states that nobody has seen. */
  readonly replace: (paths: readonly string[]) => void;
  /** The state as of now. A file whose times, size and inode are as last seen is not read again. */
  readonly stateOf: (path: string) => FileState;
}

export function createWrittenFiles(cwd: string, contents: Pick<FileContents, "keep">): WrittenFiles {
  const written = new Map<string, SeenFile>();
  return {
    paths: () => written.keys(),
    replace(paths) {
      written.clear();
      for (const path of paths) written.set(path, NOT_SEEN);
    },
    stateOf(path) {
      const file = join(cwd, path);
      const found = plainFile(file);
      const seen = written.get(path);
      if (found && seen && isAsSeen(found, seen)) return seen.state;
      const at = nowMs();
      const state = contents.keep(file);
      written.set(path, found ? seenAs(found, at, state) : NOT_SEEN);
      return state;
    },
  };
}

export interface BelowWish {
  readonly cwd: string;
  readonly maxFiles: number;
  readonly tell: (text: string) => void;
}

/** A file, or the files below a folder, relative to the working folder. */
export function filesAt(path: string, { cwd, maxFiles, tell }: BelowWish): readonly string[] {
  if (!whatIsAt(path)?.isDirectory()) return [relative(cwd, path)];
  const found = readdirSync(path, { withFileTypes: true, recursive: true });
  const files = found.filter((each) => each.isFile());
  if (files.length > maxFiles)
    tell(
      `Checkpoints: ${path} has ${files.length} files; what happens to those after the first ${maxFiles} is not recorded.`,
    );
  return files.slice(0, maxFiles).map((each) => relative(cwd, join(each.parentPath, each.name)));
}
