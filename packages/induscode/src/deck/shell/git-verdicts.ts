// What was found out about repositories, kept until a place that it depends on changes: looking through one takes many milliseconds, and
// asking for the times of its folders a fraction of one.

import { dirname } from "node:path";
import { nowMs } from "indusagi/core";
import { ABSENT, changedAt, identityOf } from "../../store/place-stamps.ts";
import type { GitFiles } from "./git-place.ts";
import { gitMayRun } from "./git-settings.ts";

export interface Verdict {
  readonly why: string | undefined;
  /** What each place was. */
  readonly places: ReadonlyMap<string, string>;
  /** When what is in it changed last. */
  readonly contents: ReadonlyMap<string, string>;
}

/** By folder. */
export type GitVerdicts = Map<string, Verdict>;

/** A change that comes within the same tick of the file system's clock as the look would not be seen. */
const SETTLED_MS = 100;

/** {@link gitMayRun}, remembered. Places that are not on this machine's disk are looked at each time. */
export async function keptGitMayRun(
  folder: string,
  files: GitFiles,
  verdicts: GitVerdicts,
): Promise<string | undefined> {
  const known = verdicts.get(folder);
  if (known && isSame(known)) return known.why;
  const places = new Map<string, string>();
  const contents = new Map<string, string>();
  let newestMs = 0;
  const notePlace = (path: string): void => {
    for (let place = path; !places.has(place); place = dirname(place)) places.set(place, identityOf(place));
  };
  const noteContent = (path: string): void => {
    notePlace(path);
    const changedMs = changedAt(path);
    contents.set(path, `${changedMs}`);
    newestMs = Math.max(newestMs, changedMs);
  };
  const noting: GitFiles = {
    readBytes(path, ...options) {
      noteContent(path);
      return files.readBytes(path, ...options);
    },
    readDir(path) {
      noteContent(path);
      return files.readDir(path);
    },
    realPath(path) {
      notePlace(path);
      return files.realPath(path);
    },
    stat(path) {
      notePlace(path);
      return files.stat(path);
    },
  };
  const why = await gitMayRun(folder, noting);
  const isSettled = places.get(folder) !== ABSENT && newestMs < nowMs() - SETTLED_MS;
  if (isSettled) verdicts.set(folder, { why, places, contents });
  else verdicts.delete(folder);
  return why;
}

function isSame({ places, contents }: Verdict): boolean {
  return (
    [...places].every(([path, identity]) => identityOf(path) === identity) &&
    [...contents].every(([path, changed]) => `${changedAt(path)}` === changed)
  );
}
