// Creates and removes entries for checked-fs.ts: each by its name in an open folder, so that no folder of the path can be
// swapped meanwhile.

import * as disk from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type { FileAttempt, RemoveOptions } from "../kernel/contract.ts";
import { byItsName, type CheckedPlaces, steady } from "./checked-place.ts";
import { requireStorage, systemError } from "./file-content.ts";
import { exchanged, type Place } from "./place.ts";

/**
 * Creates the folder at `path`. Every folder that may be created is checked, not just the last. The missing names are used as
 * they are and not resolved: no system creates a folder through a dangling link.
 */
export function makeFolders(places: CheckedPlaces, path: string, isRecursive: boolean): Promise<void> {
  const attempt: FileAttempt = { operation: "create the folder", path, right: "write" };
  return steady(async () => {
    const { folder: base, names } = await places.guard.locate(attempt, (asked) => nearest(places, asked));
    let folder = base;
    try {
      let target = folder.realPath;
      for (const name of names) {
        target = join(target, name);
        places.guard.require(target, attempt);
      }
      requireStorage(target);
      if (names.length === 0 && !isRecursive)
        throw systemError("EEXIST", `file already exists, mkdir '${path}'`);
      if (names.length > 1 && !isRecursive) await disk.lstat(target); // rejects as mkdir would
      for (const [index, name] of names.entries()) {
        const isLast = index === names.length - 1;
        await makeFolder(join(folder.path, name), isRecursive);
        await folder.confirm();
        if (!isRecursive) return;
        const inner = await enterMade(places, { folder, name, isLast });
        folder.close();
        folder = inner;
        places.guard.require(folder.realPath, attempt);
      }
    } catch (error) {
      throw byItsName(error, folder);
    } finally {
      folder.close();
    }
  });
}

interface Nearest {
  readonly folder: Place;
  /** The names to create in it, outermost first; none for the root of the file system. */
  readonly names: readonly string[];
}

async function nearest({ open }: CheckedPlaces, asked: string): Promise<Nearest> {
  const names = basename(asked) === "" ? [] : [basename(asked)];
  for (let above = dirname(asked); ; above = dirname(above)) {
    try {
      return { folder: await open(above, { isFolder: true }), names };
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || above === dirname(above)) throw error;
      names.unshift(basename(above));
    }
  }
}

async function makeFolder(path: string, mayExist: boolean): Promise<void> {
  try {
    await disk.mkdir(path);
  } catch (error) {
    if (!mayExist || errorCode(error) !== "EEXIST") throw error;
  }
}

interface Made {
  readonly folder: Place;
  readonly name: string;
  readonly isLast: boolean;
}

/** The error codes match a recursive `mkdir`: an obstacle is `EEXIST` at the end of the path and `ENOTDIR` on the way. */
async function enterMade({ open }: CheckedPlaces, { folder, name, isLast }: Made): Promise<Place> {
  const path = join(folder.path, name);
  try {
    return await open(path, { isFolder: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTDIR" && isLast) {
      (await open(path)).close(); // rejects if the file is in the middle of a link's path
      throw systemError("EEXIST", `a file is in the way, mkdir '${path}'`);
    }
    if (code === "ENOENT" && !isLast) throw systemError("ENOTDIR", `a link is in the way, mkdir '${path}'`);
    throw error;
  }
}

/** Removes the entry at `path`: a link itself, not its target; a folder with all entries below, so each is checked. */
export async function removeEntry(
  places: CheckedPlaces,
  path: string,
  { recursive = false, ignoreMissing = false }: RemoveOptions,
): Promise<void> {
  const attempt: FileAttempt = { operation: "remove", path, right: "write" };
  const asked = resolve(path);
  const name = basename(asked);
  if (name === "") throw systemError("EBUSY", `the root of the file system cannot be removed, rm '${path}'`);
  let folder: Place;
  try {
    folder = await places.guard.locate(attempt, () => places.open(dirname(asked), { isFolder: true }));
  } catch (error) {
    if (!ignoreMissing || errorCode(error) !== "ENOENT") throw error;
    return void (await lstatIfAny(asked)); // a name that is too long is still an error
  }
  try {
    places.guard.require(join(folder.realPath, name), attempt);
    const entry = join(folder.path, name);
    const info = await lstatIfAny(entry);
    if (info === undefined && ignoreMissing) return;
    if (info === undefined || (info.isDirectory() && !recursive)) return await disk.rm(entry); // fails with the right error
    // A case-insensitive volume can store this name, or a folder above it, in another spelling.
    const own = await places.open(entry, { staysAtLink: true });
    own.close();
    places.guard.require(own.realPath, attempt);
    const removal: Removal = { places, attempt };
    if (info.isDirectory()) await eachBelow(removal, { folder, name: Buffer.from(name) }, false);
    await removeOne(removal, { folder, name: Buffer.from(name) });
    await folder.confirm();
  } catch (error) {
    throw byItsName(error, folder);
  } finally {
    folder.close();
  }
}

async function lstatIfAny(path: string): Promise<Awaited<ReturnType<typeof disk.lstat>> | undefined> {
  try {
    return await disk.lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

interface Removal {
  readonly places: CheckedPlaces;
  readonly attempt: FileAttempt;
}

/** A name as bytes: not every name is UTF-8. */
interface Entry {
  readonly folder: Place;
  readonly name: Buffer;
}

function pathOf({ folder, name }: Entry): Buffer {
  return Buffer.concat([Buffer.from(`${folder.path}/`), name]);
}

async function removeOne(removal: Removal, entry: Entry): Promise<void> {
  const path = pathOf(entry);
  const info = await disk.lstat(path);
  if (!info.isDirectory()) return disk.unlink(path); // never follows a link
  await eachBelow(removal, entry, true);
  await disk.rmdir(path);
}

/** Checks everything in a folder, and removes it if `isRemoved`. */
async function eachBelow(removal: Removal, entry: Entry, isRemoved: boolean): Promise<void> {
  const { places, attempt } = removal;
  const folder = await openInner(removal, entry);
  try {
    for (const child of await disk.readdir(folder.path, { withFileTypes: true, encoding: "buffer" })) {
      const inner: Entry = { folder, name: child.name };
      places.guard.require(join(folder.realPath, child.name.toString()), attempt);
      if (isRemoved) await removeOne(removal, inner);
      else if (child.isDirectory()) await eachBelow(removal, inner, false);
    }
  } catch (error) {
    throw byItsName(error, folder);
  } finally {
    folder.close();
  }
}

async function openInner({ places, attempt }: Removal, { folder, name }: Entry): Promise<Place> {
  const inner = await places.open(`${folder.path}/${name.toString()}`, { staysAtLink: true, isFolder: true });
  try {
    places.guard.require(inner.realPath, attempt);
    if (dirname(inner.realPath) !== folder.realPath) throw exchanged(inner.realPath);
    return inner;
  } catch (error) {
    inner.close();
    throw error;
  }
}
