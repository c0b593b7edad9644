// The one folder outside of the workspace that a command names, if it is known for certain what it names: an answer can let the command
// read it inside of the sandbox.

import { dirname } from "node:path";
import { isInside } from "indusagi/core";
import type { GitFiles } from "../shell/git-place.ts";
import { outputsOf, placesIn, writesNamed } from "./named-places.ts";
import type { CommandFacts } from "./resolved-access.ts";

interface NamedFolderDeps {
  /** The working directory, as a real path. */
  readonly root: string;
  readonly realPath: (path: string) => Promise<string>;
  readonly files: Pick<GitFiles, "stat"> | undefined;
  /** What commands in the sandbox see anyway. */
  readonly isSeen: (realPath: string) => boolean;
}

/** A real path; undefined if it names none, several, or may write there. Only words that are a path as a whole count. */
export async function namedFolder(
  { parts, unclear, unread }: CommandFacts,
  { root, realPath, files, isSeen }: NamedFolderDeps,
): Promise<string | undefined> {
  if (unclear !== undefined || unread !== undefined || files === undefined) return undefined;
  const found = new Set<string>();
  for (const part of parts) {
    const { folders = [], words, unclear: isUnclear, isHidden, hosts } = part;
    if (isUnclear !== undefined || isHidden || folders.length > 1 || hosts.length > 0) return undefined;
    const values = words.flatMap(({ value }) => value ?? []);
    const opened = part.files.map(
      ({ paths, word }) => paths ?? (word?.value === undefined ? [] : [word.value]),
    );
    if (values.length < words.length || opened.some(({ length }) => length === 0)) return undefined;
    const named = values.slice(1).filter(isPath);
    const isUnknown = folders.length === 0 && [...named, ...opened.flat()].some(leadsUp);
    if (isUnknown) return undefined;
    const isWriting = writesNamed(part) || outputsOf(part).length > 0;
    const written = part.files.flatMap(({ kind }, at) => (kind === "write" ? (opened[at] ?? []) : []));
    for (const place of placesIn([...written, ...(isWriting ? named : [])], folders))
      if (await isOutside(place)) return undefined;
    for (const place of [...folders, ...placesIn([...named, ...opened.flat()], folders)]) {
      const folder = await folderOf(place);
      if (folder !== undefined) found.add(folder);
    }
  }
  const outermost = [...found].filter((each) => [...found].every((other) => isInside(each, other)));
  return outermost[0];

  async function isOutside(place: string): Promise<boolean> {
    const real = await realPath(place).catch(() => undefined);
    return real === undefined || !(isInside(root, real) || isSeen(real));
  }

  /** Of a place outside that is there. */
  async function folderOf(place: string): Promise<string | undefined> {
    if (!(await isOutside(place))) return undefined;
    const real = await realPath(place).catch(() => place);
    const stat = await files?.stat(real).catch(() => undefined);
    return stat?.isDirectory ? real : stat?.isFile ? dirname(real) : undefined;
  }
}

function isPath(word: string): boolean {
  return !word.startsWith("-") && (word.includes("/") || word === "..");
}

/** In a folder that is not known, it may lead anywhere. */
function leadsUp(path: string): boolean {
  return !path.startsWith("/") && path.split("/").includes("..");
}
