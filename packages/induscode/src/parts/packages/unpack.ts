// Unpacks a package's archive. Whoever made it chose its names and its size: only files and folders below the given folder are written, and
// no more of them than an addon may have.

import { pipeline } from "node:stream/promises";
import { extract, type ReadEntry } from "tar";
import { MAX_ADDON_BYTES, MAX_ADDON_ENTRIES } from "../../addons/source/content-hash.ts";
import { leftOut } from "./left-out.ts";

/** `archive`: a tar file, packed or not, whose entries are all in one folder. Resolves to what was left out. Rejects if it is too large. */
export async function unpack(archive: NodeJS.ReadableStream, folder: string): Promise<readonly string[]> {
  const left: string[] = [];
  let entries = 0;
  let bytes = 0;
  const writer = extract({
    cwd: folder,
    strip: 1,
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
      const isPlain = type === "File" || type === "OldFile" || type === "Directory";
      if (!isPlain || path.split("/").includes("..")) left.push(path);
      return isPlain;
    },
  });
  await pipeline(archive, writer);
  return leftOut("it is a link or leads out of its archive", left);
}
