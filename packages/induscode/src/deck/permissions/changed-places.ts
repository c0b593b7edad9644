// What a command that only changes named files would read and write here: each counts as a read or an edit by a tool.

import { basename, dirname, join } from "node:path";
import type { ShellPart } from "../shell/contract.ts";
import { placesOf } from "../shell/expand-word.ts";
import { changeOf } from "../shell/file-changes.ts";
import type { GitFiles } from "../shell/git-place.ts";
import { type IsOwnFile, removedPlaces } from "./removed-places.ts";

export interface ChangedPlaces {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly isGit?: boolean | undefined;
}

/** Absolute; undefined if the command may do more, or it is not known where. */
export async function changedPlaces(
  part: ShellPart,
  files: GitFiles | undefined,
  isOwnFile: IsOwnFile,
): Promise<ChangedPlaces | undefined> {
  const change = changeOf(part);
  const [folder, ...others] = part.folders ?? [];
  if (change === undefined || files === undefined || folder === undefined || others.length > 0)
    return undefined;
  const place = (path: string): string | undefined => placesOf(path, [folder])?.[0];
  const sources = change.sources.flatMap((each) => place(each) ?? []);
  const writes = change.writes.flatMap((each) => place(each) ?? []);
  if (sources.length < change.sources.length || writes.length < change.writes.length) return undefined;
  if (change.removes !== undefined) {
    const places = change.removes.map(place);
    if (places.includes(undefined)) return undefined;
    const given = places.flatMap((each) => each ?? []);
    const removed = await removedPlaces(given, change.isDeep === true, { files, isOwnFile });
    return removed && { reads: [], writes: removed };
  }
  for (const each of sources) if (!(await isPlainFile(each, files))) return undefined;
  if (change.target === undefined) return { reads: [], writes, isGit: change.isGit };
  const target = place(change.target);
  const written =
    target && (await writtenAt(target, { sources, isNamedFolder: change.target.endsWith("/") }, files));
  if (!written) return undefined;
  return { reads: sources, writes: change.isMove ? [...sources, ...written] : written };
}

/** A file of its own: neither a folder nor a link, which a move would take along. */
async function isPlainFile(path: string, files: GitFiles): Promise<boolean> {
  const found = await files.stat(path).catch(() => undefined);
  if (found?.isFile !== true) return false;
  const [own, folder] = await Promise.all([files.realPath(path), files.realPath(dirname(path))]);
  return own === join(folder, basename(path));
}

async function writtenAt(
  target: string,
  { sources, isNamedFolder }: { readonly sources: readonly string[]; readonly isNamedFolder: boolean },
  files: GitFiles,
): Promise<readonly string[] | undefined> {
  const found = await files.stat(target).catch(() => undefined);
  if (found?.isDirectory) return sources.map((source) => join(target, basename(source)));
  return sources.length === 1 && !isNamedFolder ? [target] : undefined;
}
