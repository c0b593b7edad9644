// Unpacks a package's archive. Whoever made it chose its names and its size: only files and folders below the given folder are written, and
// no more of them than an addon may have.

import { createHash } from "node:crypto";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { beginningOf, errorCode } from "indusagi/core";
import { extract, type ReadEntry } from "tar";
import { MAX_ADDON_BYTES, MAX_ADDON_ENTRIES } from "../../addons/source/content-hash.ts";
import { leftOut } from "./left-out.ts";

export interface Unpacked {
  /** What of it was left out, one line for each reason. */
  readonly notes: readonly string[];
  /** The checksum of the archive, as npm writes it. */
  readonly integrity: string;
}

/** Of what tar says, in characters: it can contain a name. */
export const MAX_MESSAGE = 200;
/** The folder that all entries are in. */
const STRIPPED = 1;
/** What tar warns of, and goes on without the entry: by the code of its warning, in words. */
export const LOST: Readonly<Record<string, string>> = {
  TAR_ENTRY_ERROR: "an entry of its archive cannot be written",
  TAR_ENTRY_INVALID: "its archive is damaged",
};

/**
 * `archive`: a tar file, packed or not, whose entries are all in one folder. Rejects if it is too large, has no such folder, or if an entry
 * cannot be written, as on a full disk.
 */
export async function unpack(archive: NodeJS.ReadableStream, folder: string): Promise<Unpacked> {
  const [links, outside]: [string[], string[]] = [[], []];
  let entries = 0;
  let bytes = 0;
  let kept = 0;
  const writer = extract({
    cwd: folder,
    strip: STRIPPED,
    preserveOwner: false,
    filter(path, given) {
      const { type, size } = given as ReadEntry;
      entries += 1;
      bytes += size;
      if (entries > MAX_ADDON_ENTRIES || bytes > MAX_ADDON_BYTES) {
        writer.abort(
          new Error(`its archive has more than ${MAX_ADDON_ENTRIES} entries or ${MAX_ADDON_BYTES} bytes`),
        );
        return false;
      }
      const isFile = type === "File" || type === "OldFile";
      const parts = path.split("/");
      if (!(isFile || type === "Directory") || parts.includes("..")) links.push(path);
      else if (!isFile) return true;
      else if (parts.length <= STRIPPED) outside.push(path);
      else return ++kept > 0;
      return false;
    },
    onwarn(code, message) {
      const lost = LOST[code];
      if (lost !== undefined)
        writer.abort(new Error(`${lost}: ${beginningOf(String(message), MAX_MESSAGE)}`));
    },
  });
  const hash = createHash("sha512");
  const hashed = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(archive, hashed, writer).catch((error: unknown) => {
    throw errorCode(error) === "TAR_BAD_ARCHIVE"
      ? new Error("it is not a tar archive, or is damaged")
      : error;
  });
  if (kept === 0) throw new Error(`expected an archive of one folder; ${found(outside)}`);
  return {
    notes: [
      ...leftOut("it is a link or leads out of its archive", links),
      ...leftOut("it is beside the archive's folder, and only that is unpacked", outside),
    ],
    integrity: `sha512-${hash.digest("base64")}`,
  };
}

function found([first]: readonly string[]): string {
  return first === undefined
    ? "no file is in it"
    : `its files are in none, such as ${first}. To make one: tar czf NAME.tgz FOLDER`;
}
