// The repository of a working tree whose `.git` is a file: git reads it there. Anybody who writes the working tree writes that file, so it
// counts only where the repository itself names the working tree.

import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isInside } from "indusagi/core";
import { coreSetting, gitFile, linkedGitFolder } from "../../store/git-links.ts";
import { realPath } from "../source/on-disk.ts";

interface LinkedRepository {
  /** What commands may read: the whole repository, as a real path. */
  readonly folder?: string;
  /** Why they do not see the one that `.git` names. */
  readonly why?: string;
}

/** Outside of `root`, a real path. A folder that contains one of the `closed` ones is not opened. */
export function linkedRepository(root: string, closed: readonly string[]): LinkedRepository {
  const linked = linkedGitFolder(join(root, ".git"));
  if (linked === undefined || isInside(root, linked)) return {};
  const folder = ofWorktree(root, linked) ?? ofSubmodule(root, linked);
  if (folder === undefined || !isRepository(folder))
    return {
      why:
        `commands do not see ${linked}, to which .git points, because it is not a repository that names ${root} as its working tree. ` +
        `If it belongs to the person: git config core.worktree ${root}`,
    };
  const inner = [root, ...closed].find((place) => isInside(folder, place));
  if (inner === undefined) return { folder };
  return { why: `commands do not see ${folder}, to which .git points, because it contains ${inner}` };
}

function ofWorktree(root: string, linked: string): string | undefined {
  const [back, common] = ["gitdir", "commondir"].map((name) => gitFile(join(linked, name))?.trim());
  if (back === undefined || common === undefined) return undefined;
  const file = resolve(linked, back);
  const isBack = join(realPath(dirname(file)), basename(file)) === join(root, ".git");
  const folder = realPath(resolve(linked, common));
  return isBack && dirname(linked) === join(folder, "worktrees") ? folder : undefined;
}

function ofSubmodule(root: string, linked: string): string | undefined {
  const tree = coreSetting(join(linked, "config"), "worktree");
  return tree !== undefined && realPath(resolve(linked, tree)) === root ? linked : undefined;
}

/** Whether git obeys a folder as a repository, under whatever name. */
export function isRepository(folder: string): boolean {
  const found = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false });
  return (
    found("HEAD")?.isFile() === true &&
    ["objects", "refs"].every((name) => found(name)?.isDirectory() === true)
  );
}
