// The file seam without a disk, for tests and for hosts that embed the tools. Results and error codes are those of localFs:
// fs-cases.ts checks both. It has no modes, owners, hard links or devices.

import { nowMs } from "../../core/clock.ts";
import type { DirChild, Fs, ReadRange } from "../kernel/contract.ts";
import { MemoryTree, type TreeChild } from "./memory-tree.ts";

export interface MemoryFsOptions {
  /** The source of modification times, in epoch milliseconds. Default: the wall clock. */
  readonly now?: () => number;
  /** True: names that differ only in case or Unicode normal form are the same name, as on an APFS or NTFS volume. */
  readonly foldsNames?: boolean;
}

export interface MemoryFs extends Fs {
  /** Makes `path` a link to `target`, which need not exist. The seam itself creates no links. */
  readonly symlink: (target: string, path: string) => Promise<void>;
}

/** A file system that contains `initial`: absolute paths with their content. The folders they need are created. */
export function memoryFs(
  initial: Readonly<Record<string, string | Uint8Array>> = {},
  options: MemoryFsOptions = {},
): MemoryFs {
  const { now = nowMs, foldsNames = false } = options;
  const tree = new MemoryTree(now, foldsNames ? foldName : (name) => name);
  for (const [path, content] of Object.entries(initial)) tree.seed(path, toBytes(content));
  return {
    readText: async (path) => decode(tree.file(path, "open").bytes),
    readBytes: async (path, range) => copyOfRange(tree.file(path, "open").bytes, range),
    writeFile: async (path, data) => tree.write(path, toBytes(data)),
    stat: async (path) => tree.stat(path),
    readDir: async (path) => [...tree.folder(path, "scandir").children.values()].map(describeChild),
    mkdir: async (path, { recursive = false } = {}) =>
      recursive ? tree.makeFolders(path) : tree.makeFolder(path),
    rm: async (path, removal) => tree.remove(path, removal),
    exists: async (path) => tree.exists(path),
    realPath: async (path) => tree.locate(path, "realpath").realPath,
    symlink: async (target, path) => tree.link(target, path),
  };
}

function describeChild({ name, node }: TreeChild): DirChild {
  return { name, isDirectory: node.kind === "folder", isSymlink: node.kind === "link" };
}

function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Always a copy: the caller keeps its own array. */
function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : Uint8Array.from(data);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes); // like localFs: a byte order mark is content
}

function copyOfRange(bytes: Uint8Array, range: ReadRange | undefined): Uint8Array {
  return range ? bytes.slice(range.start, range.start + range.maxBytes) : bytes.slice();
}
