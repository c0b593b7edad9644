// The local file seam for callers that are allowed only part of the disk: every file and folder is opened first (place.ts),
// then the scope is asked about its real place, and then the work is done on the open handle. Swapping a folder for a link in
// between cannot redirect the work.

import { closeSync, constants } from "node:fs";
import * as disk from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type {
  DirChild,
  FileAttempt,
  Fs,
  FsEntryInfo,
  GrepQuery,
  GrepResult,
  PlaceCheck,
  ReadRange,
} from "../kernel/contract.ts";
import { makeFolders, removeEntry } from "./checked-entries.ts";
import { at, byItsName, type CheckedPlaces, steady } from "./checked-place.ts";
import {
  decodeUtf8,
  describeEntry,
  isReplaceable,
  readRange,
  replaceFile,
  requireRegular,
  requireStorage,
  writeInPlace,
} from "./file-content.ts";
import { exchanged, type OpenPlace, type Place, placesHere } from "./place.ts";
import { realPathOfTarget } from "./real-path.ts";
import { grepWithRipgrep } from "./ripgrep.ts";
import { ScopeGuard } from "./scope-guard.ts";
import { ScopeError } from "./scoped.ts";
import { scopedSearch } from "./scoped-search.ts";

/** The local files as far as `check` permits; `open` lets tests use the weaker way. */
export function checkedFs(check: PlaceCheck, open: OpenPlace = placesHere()): Fs {
  const guard = new ScopeGuard({ realPath: realPathOfTarget }, check);
  const places: CheckedPlaces = { open, guard };
  const reading = <Result>(operation: string, path: string, work: (place: Place) => Promise<Result>) =>
    steady(() => at(places, { operation, path, right: "read" }, {}, work));
  const readBytes = (path: string, range?: ReadRange): Promise<Uint8Array> =>
    reading("read", path, (place) => readPlace(place, range));
  const fs: Fs = {
    readBytes,
    readText: async (path) => decodeUtf8(await readBytes(path)),
    writeFile: (path, data) => writeFile(places, path, data),
    stat: (path) => steady(() => stat(places, path)),
    readDir: (path) => reading("list", path, (place) => readDir(places, path, place)),
    mkdir: (path, options) => makeFolders(places, path, options?.recursive ?? false),
    rm: (path, options) => removeEntry(places, path, options ?? {}),
    exists: async (path) => {
      try {
        return await reading("look for", path, async () => true);
      } catch (error) {
        const isMissing = ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
        if (error instanceof ScopeError || isMissing) return false;
        throw error;
      }
    },
    realPath: (path) => steady(() => realPath(places, path)),
    checked: (inner) => checkedFs((real, attempt) => check(real, attempt) ?? inner(real, attempt), open),
  };
  return { ...fs, search: { grep: search(places, fs), opensPaths: true } };
}

async function readPlace(place: Place, range: ReadRange | undefined): Promise<Uint8Array> {
  requireRegular(place.info, place.realPath);
  const file = await place.open(constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return await readRange(file, place.info.size, range);
  } finally {
    closeSync(file);
  }
}

/** For a link, the check is on its target; its own handle shows that the path is a link. */
async function stat(places: CheckedPlaces, path: string): Promise<FsEntryInfo> {
  const attempt: FileAttempt = { operation: "stat", path, right: "read" };
  const own = await places.guard.locate(attempt, (asked) => places.open(asked, { staysAtLink: true }));
  try {
    if (!own.info.isSymbolicLink()) {
      places.guard.require(own.realPath, attempt);
      await own.confirm();
      return describeEntry(own.info, false);
    }
  } finally {
    own.close();
  }
  return at(places, attempt, {}, async ({ info }) => describeEntry(info, true));
}

// A link is listed because its name is in this folder; its target is checked when the link is followed.
async function readDir({ guard }: CheckedPlaces, path: string, place: Place): Promise<readonly DirChild[]> {
  const attempt: FileAttempt = { operation: "list", path, right: "read" };
  const children = await disk.readdir(place.path, { withFileTypes: true });
  const shown = children.filter(({ name }) => guard.permits(join(place.realPath, name), attempt));
  return shown.map((child) => ({
    name: child.name,
    isDirectory: child.isDirectory(),
    isSymlink: child.isSymbolicLink(),
  }));
}

async function realPath(places: CheckedPlaces, path: string): Promise<string> {
  const attempt: FileAttempt = { operation: "resolve", path, right: "read" };
  try {
    return await at(places, attempt, {}, async (place) => place.realPath);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    const target = await places.guard.locate(attempt, realPathOfTarget);
    places.guard.require(target, attempt);
    return target;
  }
}

/** Same guarantees as `writeFile` in local-fs.ts. */
function writeFile(places: CheckedPlaces, path: string, data: string | Uint8Array): Promise<void> {
  const attempt: FileAttempt = { operation: "write", path, right: "write" };
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  return steady(async () => {
    try {
      await at(places, attempt, {}, (place) => overwrite(places, place, bytes));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      await create(places, attempt, bytes);
    }
  });
}

async function overwrite(places: CheckedPlaces, place: Place, bytes: Uint8Array): Promise<void> {
  const { info, realPath: target } = place;
  requireStorage(target);
  requireRegular(info, target);
  await disk.access(place.path, constants.W_OK); // a rename would bypass a read-only mode
  const folder = await folderAt(places, dirname(target));
  try {
    const entry = await disk.lstat(join(folder.path, basename(target)));
    if (entry.ino !== info.ino || entry.dev !== info.dev) throw exchanged(target);
    await place.confirm();
    if (isReplaceable(info, folder.path))
      await replaceFile(folder.path, basename(target), { bytes, mode: info.mode & 0o7777 });
    else await writeInPlace(place.path, constants.O_WRONLY, bytes);
    await folder.confirm();
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? exchanged(target) : byItsName(error, folder);
  } finally {
    folder.close();
  }
}

/** Creates a file, also through a link that names it. */
async function create(places: CheckedPlaces, attempt: FileAttempt, bytes: Uint8Array): Promise<void> {
  const target = await places.guard.locate(attempt, realPathOfTarget);
  places.guard.require(target, attempt);
  requireStorage(target);
  const folder = await folderAt(places, dirname(target));
  try {
    await replaceFile(folder.path, basename(target), { bytes });
    await folder.confirm();
  } catch (error) {
    throw byItsName(error, folder);
  } finally {
    folder.close();
  }
}

/** The folder at a real path; `EBUSY` if there is now a link on the way. */
async function folderAt({ open }: CheckedPlaces, realPath: string): Promise<Place> {
  const folder = await open(realPath, { isFolder: true });
  if (folder.realPath === realPath) return folder;
  folder.close();
  throw exchanged(realPath);
}

function search(
  places: CheckedPlaces,
  fs: Fs,
): (query: GrepQuery, signal: AbortSignal) => Promise<GrepResult | undefined> {
  return async (query, signal) => {
    const attempt: FileAttempt = { operation: "search", path: query.root, right: "read" };
    return at(places, attempt, {}, async (place) => {
      if (!query.isFile) {
        const native = scopedSearch({ grep: grepWithRipgrep }, { readBytes: fs.readBytes });
        return native.grep(query, place.realPath, signal);
      }
      requireRegular(place.info, place.realPath);
      const file = await place.open(constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      try {
        return await grepWithRipgrep(query, signal, { file });
      } finally {
        closeSync(file);
      }
    });
  };
}
