// Which repository git finds in a folder, and whether what it shows comes from there: a `.git` may lead to any other one, as may links and
// references in it.

import { basename, dirname, join, resolve } from "node:path";
import type { Fs } from "indusagi/capabilities";
import { isInside } from "indusagi/core";

export type GitFiles = Pick<Fs, "readBytes" | "readDir" | "realPath" | "stat">;

const MAX_BYTES = 65_536;
const MAX_FOLDERS = 2_000;

export interface Repository {
  /** The folder with its files. */
  readonly top: string;
  /** The git folder itself. */
  readonly folder: string;
}

/** In git's search order: upwards, in each folder `.git`, then the folder itself. */
export async function repositoryAt(start: string, files: GitFiles): Promise<Repository | string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = await kindOf(join(folder, ".git"), files);
    if (found === "folder") return { top: folder, folder: join(folder, ".git") };
    if (found === "file") {
      const [, target] =
        /^gitdir: ([^\n\r]+)\n?$/.exec((await textOf(join(folder, ".git"), files)) ?? "") ?? [];
      return target === undefined
        ? "its .git file is invalid"
        : { top: folder, folder: resolve(folder, target) };
    }
    if ((await exists(join(folder, "HEAD"), files)) && (await exists(join(folder, "objects"), files)))
      return `${folder} looks like a bare repository`;
    if (folder === dirname(folder)) return undefined;
  }
}

export async function commonFolder(folder: string, files: GitFiles): Promise<string> {
  const text = await textOf(join(folder, "commondir"), files);
  return text === undefined ? folder : resolve(folder, text.trimEnd());
}

/** Why what git shows may come from elsewhere; undefined if it is from this repository, or from one that has this folder as a worktree. */
export async function leadsElsewhere(
  { top, folder }: Repository,
  common: string,
  files: GitFiles,
): Promise<string | undefined> {
  const [own, shared] = [await files.realPath(folder), await files.realPath(common)];
  const isHere = [own, shared].every((place) => isInside(top, place) || isInGitAbove(top, place));
  if (!isHere && !(await isWorktree(top, { own, shared }, files))) return `${top}/.git leads to ${shared}`;
  if (await exists(join(shared, "objects", "info", "alternates"), files))
    return "the repository uses objects from another repository (objects/info/alternates)";
  const link = await linkBelow([...new Set([own, shared])], files);
  return link && `the repository has a link in it (${link})`;
}

function isInGitAbove(top: string, place: string): boolean {
  if (isInside(join(top, ".git"), place)) return true;
  return top !== dirname(top) && isInGitAbove(dirname(top), place);
}

/** Whether the repository itself says that this folder is a worktree of it. */
async function isWorktree(
  top: string,
  { own, shared }: { readonly own: string; readonly shared: string },
  files: GitFiles,
): Promise<boolean> {
  if (own !== join(shared, "worktrees", basename(own))) return false;
  const back = (await textOf(join(own, "gitdir"), files))?.trimEnd() ?? "";
  return (await files.realPath(resolve(own, back))) === join(top, ".git");
}

/** A link in git folders, or below those of their folders that hold what is shown. Throws if there is too much to look at. */
async function linkBelow(gitFolders: readonly string[], files: GitFiles): Promise<string | undefined> {
  const open = [...gitFolders];
  for (let left = MAX_FOLDERS; open.length > 0; left--) {
    if (left === 0) throw new Error("too many folders");
    const folder = open.pop() as string;
    const isTop = gitFolders.includes(folder);
    for (const { name, isDirectory, isSymlink } of await files.readDir(folder)) {
      if (isSymlink && !(isTop && name === "hooks")) return join(folder, name);
      if (isDirectory && (!isTop || name === "objects" || name === "logs")) open.push(join(folder, name));
    }
  }
  return undefined;
}

async function kindOf(path: string, files: GitFiles): Promise<"file" | "folder" | undefined> {
  try {
    return (await files.stat(path)).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}

export async function exists(path: string, files: GitFiles): Promise<boolean> {
  return (await kindOf(path, files)) !== undefined;
}

export async function textOf(path: string, files: GitFiles): Promise<string | undefined> {
  const bytes = await bytesOf(path, MAX_BYTES, files);
  return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/** Undefined if there is none; throws for one that is too long to read. */
export async function bytesOf(path: string, most: number, files: GitFiles): Promise<Uint8Array | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await files.readBytes(path, { start: 0, maxBytes: most + 1 });
  } catch (error) {
    if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
  if (bytes.length > most) throw new Error("too long");
  return bytes;
}
