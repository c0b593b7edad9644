// The one folder outside of the workspace that a command names, if it is known for certain what it names: an answer can let the command
// read it inside of the sandbox, or change it where its line shows that it does.

import { dirname } from "node:path";
import { isInside } from "indusagi/core";
import type { GitFiles } from "../shell/git-place.ts";
import { MOVERS } from "../shell/shell-changes.ts";
import { placesIn } from "./named-places.ts";
import type { CommandFacts, PartFacts } from "./resolved-access.ts";
import { touchedWords } from "./touched-words.ts";

interface NamedFolderDeps {
  /** The working directory, as a real path. */
  readonly root: string;
  readonly realPath: (path: string) => Promise<string>;
  readonly files: Pick<GitFiles, "stat"> | undefined;
  /** What commands in the sandbox see anyway. */
  readonly isSeen: (realPath: string) => boolean;
}

interface NamedFolder {
  /** A real path. */
  readonly path: string;
  readonly isWritten: boolean;
}

/** Undefined if it names none, or several, or writes where that is not certain. Only words that are a path as a whole count. */
export async function namedFolder(
  { parts, unclear, unread }: CommandFacts,
  { root, realPath, files, isSeen }: NamedFolderDeps,
): Promise<NamedFolder | undefined> {
  if (unclear !== undefined || unread !== undefined || files === undefined) return undefined;
  const found = new Set<string>();
  let isWritten = false;
  const moved = movedTo(parts);
  for (const part of parts) {
    const places = placesOf(part, part.folders ?? moved);
    if (places === undefined) return undefined;
    for (const place of places.uncertain) if (await isOutside(place)) return undefined;
    for (const place of places.reads) {
      const folder = (await isOutside(place)) ? await folderOf(place) : undefined;
      if (folder !== undefined) found.add(folder);
    }
    for (const { place, isRemoved } of places.writes) {
      const around = isRemoved ? dirname(place) : place;
      if (!(await isOutside(around))) continue;
      const folder = isRemoved ? await folderOf(around) : await nearestFolder(place);
      if (folder === undefined) return undefined;
      found.add(folder);
      isWritten = true;
    }
  }
  const outermost = [...found].find((each) => [...found].every((other) => isInside(each, other)));
  return outermost === undefined ? undefined : { path: outermost, isWritten };

  async function isOutside(place: string): Promise<boolean> {
    const real = await realPath(place).catch(() => undefined);
    return real === undefined || !(isInside(root, real) || isSeen(real));
  }

  /** Of a place that is there. */
  async function folderOf(place: string): Promise<string | undefined> {
    const real = await realPath(place).catch(() => place);
    const stat = await files?.stat(real).catch(() => undefined);
    return stat?.isDirectory ? real : stat?.isFile ? dirname(real) : undefined;
  }

  /** Of a place that will be there. */
  async function nearestFolder(place: string): Promise<string | undefined> {
    const real = await realPath(place).catch(() => undefined);
    for (let at = real; at !== undefined && at !== dirname(at); at = dirname(at)) {
      const folder = await folderOf(at);
      if (folder !== undefined) return folder;
    }
    return undefined;
  }
}

interface PartPlaces {
  readonly reads: readonly string[];
  readonly writes: readonly { readonly place: string; readonly isRemoved: boolean }[];
  /** It may write them. */
  readonly uncertain: readonly string[];
}

/** Where the only `cd` of a line goes, which the reader does not follow where links may lead up: `cd ../lib && make`. */
function movedTo(parts: readonly PartFacts[]): readonly string[] {
  const [move, ...others] = parts.filter(({ words }) => MOVERS.has(words[0]?.value ?? ""));
  const [program, to, ...more] = move?.words.map(({ value }) => value) ?? [];
  const isPlain = program === "cd" && to !== undefined && !to.startsWith("-") && more.length === 0;
  if (!isPlain || others.length > 0 || move?.folders?.length !== 1) return [];
  return placesIn([to], move.folders);
}

/** Undefined if it may name more than its words show. `folders`: where it runs; none if that is unknown. */
function placesOf(part: PartFacts, folders: readonly string[]): PartPlaces | undefined {
  const { words, unclear, isHidden, hosts } = part;
  if (unclear !== undefined || isHidden || folders.length > 1 || hosts.length > 0) return undefined;
  const values = words.flatMap(({ value }) => value ?? []);
  const opened = part.files.map(({ kind, paths, word }) => ({
    kind,
    paths: paths ?? (word?.value === undefined ? [] : [word.value]),
  }));
  if (values.length < words.length || opened.some(({ paths }) => paths.length === 0)) return undefined;
  const named = values.slice(1).filter(isPath);
  const openedAs = (wanted: "read" | "write"): readonly string[] =>
    opened.flatMap(({ kind, paths }) => (kind === wanted ? paths : []));
  const touched = touchedWords(part, onlyLooks(part));
  const all = [...named, ...opened.flatMap(({ paths }) => paths), ...(touched?.writes ?? [])];
  const changed = [...(touched?.writes ?? []), ...(touched?.removes ?? []), ...openedAs("write")];
  if (folders.length === 0 && (all.some(leadsUp) || changed.some(isRelative))) return undefined;
  const { reads, writes, removes } = touched ?? { reads: named, writes: [], removes: [] };
  const written = [...placesIn([...writes, ...openedAs("write")], folders)];
  return {
    reads: [...folders, ...placesIn([...reads.filter(isPath), ...openedAs("read")], folders)],
    writes: [
      ...written.map((place) => ({ place, isRemoved: false })),
      ...placesIn(removes, folders).map((place) => ({ place, isRemoved: true })),
    ],
    uncertain: touched === undefined ? placesIn(named, folders) : [],
  };
}

/** What changes only files that it names counts as looking elsewhere. */
function onlyLooks({ looks, opens }: PartFacts): boolean {
  return looks !== undefined && opens.every(({ access }) => access.kind !== "write");
}

function isPath(word: string): boolean {
  return word.includes("/") || word === "..";
}

function isRelative(path: string): boolean {
  return !path.startsWith("/");
}

/** In a folder that is not known, it may lead anywhere. */
function leadsUp(path: string): boolean {
  return !path.startsWith("/") && path.split("/").includes("..");
}
