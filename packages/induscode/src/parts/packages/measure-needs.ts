// How large what a package needs is, before any of it is unpacked: each archive is read to its end and nothing of it is written. npm unpacks what it
// fetched then, which its checksum holds it to.

import { createHash } from "node:crypto";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TreeNode } from "@npmcli/arborist";
import { Parser } from "tar";

/** Of all that one package needs: three times what large servers have, which need some 30,000 files of 143 MB. */
export const MAX_NEEDED_FILES = 100_000;
export const MAX_NEEDED_BYTES: number = 512 * 1024 * 1024;

type Take = (archive: NodeJS.ReadableStream) => Promise<void>;

/** Throws if there is more of it. `fetch` gives an archive of that checksum, if there is one. A package without one gets that of what was read. */
export async function measureNeeds(
  needed: readonly TreeNode[],
  fetch: (spec: string, take: Take, integrity: string | undefined) => Promise<void>,
): Promise<void> {
  const [open, used] = [[...needed].filter(isUnpacked), { files: 0, bytes: 0 }];
  const readEach = async (): Promise<void> => {
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const { name, resolved, integrity } = node;
      const hash = createHash("sha512");
      const take: Take = (archive) => readArchive(archive, hash, (bytes) => requireRoom(used, bytes, name));
      await fetch(`${name}@${resolved}`, take, integrity ?? undefined);
      if (!integrity && /^https?:/.test(resolved ?? "")) node.integrity = `sha512-${hash.digest("base64")}`;
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, readEach));
}

const SIDE_BY_SIDE = 8;

function isUnpacked({ resolved, isProjectRoot, isLink, inBundle, inert }: TreeNode): boolean {
  return Boolean(resolved) && !(isProjectRoot || isLink || inBundle || inert);
}

/** The checksum of an archive that is no larger than all that one package needs may be. */
export async function measureArchive(archive: NodeJS.ReadableStream): Promise<string> {
  const [hash, used] = [createHash("sha512"), { files: 0, bytes: 0 }];
  await readArchive(archive, hash, (bytes) => requireRoom(used, bytes, "the archive itself"));
  return `sha512-${hash.digest("base64")}`;
}

/** `onEntry` hears of the size of each entry; what it throws ends the reading. */
async function readArchive(
  archive: NodeJS.ReadableStream,
  hash: { update(chunk: Buffer): unknown },
  onEntry: (bytes: number) => void,
): Promise<void> {
  const parser = new Parser({
    onReadEntry(entry) {
      try {
        onEntry(entry.size);
        entry.resume();
      } catch (error) {
        parser.abort(error as Error);
      }
    },
  });
  const hashed = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(archive, hashed, parser as unknown as NodeJS.WritableStream);
}

function requireRoom(used: { files: number; bytes: number }, bytes: number, name: string): void {
  used.files += 1;
  used.bytes += bytes;
  if (used.files > MAX_NEEDED_FILES || used.bytes > MAX_NEEDED_BYTES)
    throw new Error(
      `its dependencies have more than ${MAX_NEEDED_FILES} files or ${MAX_NEEDED_BYTES / 1024 / 1024} MiB (at ${name}), so nothing was unpacked`,
    );
}
