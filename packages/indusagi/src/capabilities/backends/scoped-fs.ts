// A file seam that reaches only what its scope permits. If the file system can open before checking (`Fs.checked`), the scope
// is asked about the place of the open handle. Elsewhere, where only this process changes files, each operation resolves its
// path, checks that place, works on it, and then verifies that the place is unchanged.
//
// A hard link is the file itself: no path shows where else it has a name. So code that can start processes needs the operating
// system's sandbox as well.

import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../core/faults.ts";
import { sharesLocksWith } from "../files/path-lock.ts";
import type { FileAttempt, Fs, FsEntryInfo } from "../kernel/contract.ts";
import { isPassedOver } from "../search/walk.ts";
import { checkOf, ScopeGuard } from "./scope-guard.ts";
import { type FsScope, ScopeError } from "./scoped.ts";
import { scopedSearch } from "./scoped-search.ts";

/** `inner` within `scope`. Refusals reject with a {@link ScopeError}; for `exists`, a forbidden path does not exist. */
export function scopedFs(inner: Fs, scope: FsScope): Fs {
  return sharesLocksWith(inner.checked?.(checkOf(scope)) ?? scopedByPath(inner, scope), inner);
}

function scopedByPath(inner: Fs, scope: FsScope): Fs {
  const guard = new ScopeGuard(inner, checkOf(scope));
  const find = (path: string): Promise<string> => inner.realPath(path);
  const atTarget = async <Result>(
    attempt: FileAttempt,
    work: (real: string) => Promise<Result>,
  ): Promise<Result> => guard.perform(attempt, await guard.locate(attempt, find), { work, find });
  const reading = <Result>(operation: string, path: string, work: (real: string) => Promise<Result>) =>
    atTarget({ operation, path, right: "read" }, work);
  const { search } = inner;
  const guarded: Fs = {
    readText: (path) => reading("read", path, (real) => inner.readText(real)),
    readBytes: (path, range) => reading("read", path, (real) => inner.readBytes(real, range)),
    writeFile: (path, data) =>
      atTarget({ operation: "write", path, right: "write" }, (real) => inner.writeFile(real, data)),
    stat: (path) => reading("stat", path, (real) => statAs(inner, path, real)),
    // A link is listed because its name is in this folder; its target is checked when the link is followed.
    readDir: (path) =>
      reading("list", path, async (real) =>
        (await inner.readDir(real)).filter((child) => scope.mayRead(join(real, child.name))),
      ),
    mkdir: async (path, options) => {
      const attempt: FileAttempt = { operation: "create the folder", path, right: "write" };
      const place = await placeForFolder(inner, guard, attempt);
      await guard.perform(attempt, place, { work: () => inner.mkdir(place, options), find });
    },
    rm: async (path, options) => {
      const attempt: FileAttempt = { operation: "remove", path, right: "write" };
      const place = await removablePlace(inner, guard, attempt);
      await guard.perform(attempt, place, {
        work: () => inner.rm(place, options),
        find: () => entryPath(inner, place),
      });
    },
    exists: async (path) => {
      try {
        return await reading("look for", path, (real) => inner.exists(real));
      } catch (error) {
        if (error instanceof ScopeError || errorCode(error) === "ENOTDIR") return false;
        throw error;
      }
    },
    realPath: (path) => reading("resolve", path, async (real) => real),
    search: search
      ? {
          grep: (query, signal) =>
            reading("search", query.root, (root) =>
              scopedSearch(search, { readBytes: guarded.readBytes }).grep(query, root, signal),
            ),
        }
      : undefined,
  };
  return guarded;
}

/** Where the entry itself is, even if it is a link: its name in the real path of its folder. */
async function entryPath(inner: Fs, path: string): Promise<string> {
  return join(await inner.realPath(dirname(path)), basename(path));
}

// The real path is never a link: the entry itself shows whether the path is one.
async function statAs(inner: Fs, path: string, real: string): Promise<FsEntryInfo> {
  const info = await inner.stat(real);
  const entry = await entryPath(inner, resolve(path));
  return entry === real ? info : { ...info, isSymlink: (await inner.stat(entry)).isSymlink };
}

// Every folder that may be created is checked, not just the last. The missing names are used as they are and not resolved: no
// system creates a folder through a dangling link.
async function placeForFolder(inner: Fs, guard: ScopeGuard, attempt: FileAttempt): Promise<string> {
  const [base, missing] = await guard.locate(attempt, async (asked) => {
    let nearest = dirname(asked);
    while (nearest !== dirname(nearest) && !(await inner.exists(nearest))) nearest = dirname(nearest);
    return [await inner.realPath(nearest), relative(nearest, asked)];
  });
  let place = base;
  for (const name of missing.split(sep)) {
    place = join(place, name);
    guard.require(place, attempt);
  }
  return place;
}

// A link itself is removed, whatever its target; a folder's removal includes every entry below, so each must be permitted.
async function removablePlace(inner: Fs, guard: ScopeGuard, attempt: FileAttempt): Promise<string> {
  const entry = await guard.locate(attempt, (asked) => entryPath(inner, asked));
  guard.require(entry, attempt);
  const info = await statIfAny(inner, entry);
  if (info === undefined || info.isSymlink) return entry;
  const stored = await inner.realPath(entry); // a case-insensitive volume can store the name in another spelling
  if (info.isDirectory) await requireBelow(inner, guard, { folder: stored, attempt });
  return stored;
}

/** Undefined for a missing entry and for a dangling link. */
async function statIfAny(inner: Fs, path: string): Promise<FsEntryInfo | undefined> {
  try {
    return await inner.stat(path);
  } catch (error) {
    if (isPassedOver(error)) return undefined;
    throw error;
  }
}

interface Below {
  readonly folder: string;
  readonly attempt: FileAttempt;
}

async function requireBelow(inner: Fs, guard: ScopeGuard, { folder, attempt }: Below): Promise<void> {
  for (const child of await inner.readDir(folder)) {
    const place = join(folder, child.name);
    guard.require(place, attempt);
    if (child.isDirectory) await requireBelow(inner, guard, { folder: place, attempt });
  }
}
