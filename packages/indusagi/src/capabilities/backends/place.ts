// An open handle on a file or folder, which stays the same one whatever happens to its path, and where it really is.
//
// On Linux the kernel reports the place of the handle itself (/proc/self/fd), and an operation through that link acts on what
// was opened: swapping something in the path between the check and the operation does not change what the operation acts on.
// The handle is opened with O_PATH first, which has no side effects: it neither waits for a pipe nor touches a device.
//
// Elsewhere the place is found by its path and checked again after each step: a swap is noticed, but a change may already have
// been made there, and two swaps between two checks go unnoticed.

import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import * as disk from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openNumber, systemError } from "./file-content.ts";

export interface Place {
  /** Where it was at the time of the call, with every link resolved. */
  readonly realPath: string;
  /** A path that leads to it; on Linux, whatever happens to its name. */
  readonly path: string;
  readonly info: Stats;
  /** Opens it for reading or writing. Rejects with `EBUSY` if it is no longer the same file. */
  readonly open: (flags: number) => Promise<number>;
  /** Throws `EBUSY` if something else has taken its place; never on Linux, where that cannot happen. */
  readonly confirm: () => Promise<void>;
  readonly close: () => void;
}

export interface PlaceOptions {
  /** If the last name of the path is a link: open the link itself or its target. Default: the target. */
  readonly staysAtLink?: boolean;
  /** Rejects with `ENOTDIR` for anything but a folder. */
  readonly isFolder?: boolean;
}

export type OpenPlace = (path: string, options?: PlaceOptions) => Promise<Place>;

/** The strongest way this system supports. */
export function placesHere(): OpenPlace {
  opener ??= handlesTellTheirPlace() ? openByHandle : openByPath;
  return opener;
}

/** Whether an opened place cannot be swapped; false where only a second check reveals a swap. */
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
    return false; // /proc is not mounted, or not readable for us
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

/** Its synchronous calls do not wait for a disk: the kernel answers from what it holds for the handle. */
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
    // an open handle cannot be swapped
  }

  close(): void {
    closeSync(this.#handle);
  }
}

const REMOVED = " (deleted)";

/** The kernel marks what has been removed since, for instance when a writer put another file in its place. */
function unlessRemoved(path: string): string {
  const isMarked = path.endsWith(REMOVED) && lstatSync(path, { throwIfNoEntry: false }) === undefined;
  return isMarked ? path.slice(0, -REMOVED.length) : path;
}

/** The weaker way; see above. */
export const openByPath: OpenPlace = async (path, { staysAtLink = false, isFolder = false } = {}) => {
  await (staysAtLink ? disk.lstat(path) : disk.stat(path)); // fails with the errors that opening would give
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
      // nothing to close
    },
  };
};

/** The error for something on the path that was replaced while in use. */
export function exchanged(path: string): Error {
  return systemError("EBUSY", `part of the path is being replaced, open '${path}'`);
}
