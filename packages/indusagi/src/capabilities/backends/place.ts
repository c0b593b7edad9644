// An open handle on a file or folder, which stays the same one whatever happens to its path, and where it really is.
//
// On Linux the kernel tells the place of the handle itself (/proc/self/fd), and what is done through that link is done to
// what was opened: nothing that is exchanged in the path between a decision and a deed changes what the deed is done to. The
// handle is made with O_PATH first, which acts on nothing: no pipe is waited for, no device is touched.
//
// Elsewhere the place is found by its path, and is looked at again after each step: what was exchanged is noticed, but a
// change may have been made there, and what is exchanged twice between two looks is not noticed.

import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import * as disk from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openNumber, systemError } from "./file-content.ts";

export interface Place {
  /** Where it was when this was asked for, every link resolved. */
  readonly realPath: string;
  /** A path that leads to it; on Linux whatever happens to its name. */
  readonly path: string;
  readonly info: Stats;
  /** Opens it for reading or writing. Rejects with `EBUSY` where it is not what it was. */
  readonly open: (flags: number) => Promise<number>;
  /** Throws `EBUSY` where something else has taken its place; never on Linux, where nothing can. */
  readonly confirm: () => Promise<void>;
  readonly close: () => void;
}

export interface PlaceOptions {
  /** What the last name of the path is when it is a link: itself, or what it leads to. Default: what it leads to. */
  readonly staysAtLink?: boolean;
  /** Rejects with `ENOTDIR` for anything but a folder. */
  readonly isFolder?: boolean;
}

export type OpenPlace = (path: string, options?: PlaceOptions) => Promise<Place>;

/** The strongest way that this system has. */
export function placesHere(): OpenPlace {
  opener ??= handlesTellTheirPlace() ? openByHandle : openByPath;
  return opener;
}

/** Whether what is opened here stays itself; false where only a second look tells of an exchange. */
export function opensByHandle(): boolean {
  return placesHere() === openByHandle;
}

let opener: OpenPlace | undefined;

const HANDLES = "/proc/self/fd";
const O_PATH = 0o10000000; // linux/fcntl.h; Node does not export it

function handlesTellTheirPlace(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const root = openSync("/", O_PATH | constants.O_DIRECTORY);
    try {
      return readlinkSync(`${HANDLES}/${root}`) === "/";
    } finally {
      closeSync(root);
    }
  } catch {
    return false; // no /proc is mounted, or it is not for us
  }
}

export const openByHandle: OpenPlace = async (path, { staysAtLink = false, isFolder = false } = {}) => {
  const flags = O_PATH | (staysAtLink ? constants.O_NOFOLLOW : 0) | (isFolder ? constants.O_DIRECTORY : 0);
  const handle = await openNumber(path, flags);
  try {
    return new HandlePlace(handle);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
};

/** These calls wait for no disk: the kernel answers from what it holds for the handle. */
class HandlePlace implements Place {
  readonly path: string;
  readonly realPath: string;
  readonly #handle: number;
  #info: Stats | undefined;

  constructor(handle: number) {
    this.#handle = handle;
    this.path = `${HANDLES}/${handle}`;
    this.realPath = unlessRemoved(readlinkSync(this.path));
  }

  get info(): Stats {
    this.#info ??= fstatSync(this.#handle);
    return this.#info;
  }

  async open(flags: number): Promise<number> {
    return openSync(this.path, flags);
  }

  async confirm(): Promise<void> {
    // what is open is what it was
  }

  close(): void {
    closeSync(this.#handle);
  }
}

const REMOVED = " (deleted)";

/** The kernel marks what was removed since, for instance by a writer that put another file in its place. */
function unlessRemoved(path: string): string {
  const isMarked = path.endsWith(REMOVED) && lstatSync(path, { throwIfNoEntry: false }) === undefined;
  return isMarked ? path.slice(0, -REMOVED.length) : path;
}

/** The weaker way; see above. */
export const openByPath: OpenPlace = async (path, { staysAtLink = false, isFolder = false } = {}) => {
  await (staysAtLink ? disk.lstat(path) : disk.stat(path)); // it has the errors that opening would have
  const find = async (asked: string): Promise<string> =>
    staysAtLink ? join(await disk.realpath(dirname(asked)), basename(asked)) : disk.realpath(asked);
  const realPath = await find(path);
  const info = await disk.lstat(realPath);
  if (isFolder && !info.isDirectory()) throw systemError("ENOTDIR", `not a directory, open '${path}'`);
  const isStill = (now: Stats): boolean => now.dev === info.dev && now.ino === info.ino;
  const confirm = async (): Promise<void> => {
    if ((await find(realPath)) !== realPath) throw exchanged(realPath);
  };
  return {
    realPath,
    path: realPath,
    info,
    confirm,
    async open(flags) {
      const file = await openNumber(realPath, flags | (constants.O_NOFOLLOW ?? 0));
      try {
        if (!isStill(fstatSync(file)) || !isStill(lstatSync(realPath))) throw exchanged(realPath);
        await confirm();
        return file;
      } catch (error) {
        closeSync(file);
        throw error;
      }
    },
    close() {
      // nothing is open
    },
  };
};

/** Something on the way was replaced while it was used. */
export function exchanged(path: string): Error {
  return systemError("EBUSY", `a part of the path is being replaced by something else, open '${path}'`);
}
