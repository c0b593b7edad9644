// The tree behind memoryFs: folders, files, links, and path resolution.

import { parse, sep } from "node:path";
import type { FsEntryInfo, RemoveOptions } from "../kernel/contract.ts";

interface FileNode {
  readonly kind: "file";
  readonly bytes: Uint8Array;
  readonly modifiedMs: number;
}

interface FolderNode {
  readonly kind: "folder";
  readonly children: Map<string, TreeChild>;
  modifiedMs: number;
}

interface LinkNode {
  readonly kind: "link";
  readonly target: string;
}

type Node = FileNode | FolderNode | LinkNode;

/** A child with the name it was created with; the map's key is the folded name. */
export interface TreeChild {
  readonly name: string;
  readonly node: Node;
}

/** Where a path leads: the entry, if it exists, its folder, and its name in that folder. */
interface Place {
  readonly node: Node | undefined;
  readonly parent: FolderNode | undefined;
  readonly name: string;
  readonly realPath: string;
}

interface Step {
  readonly name: string;
  readonly node: Node | undefined;
}

const MAX_LINKS = 40; // same as real-path.ts
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4_095;

/** Results and error codes are the system's. Each operation runs synchronously, so it is atomic. */
export class MemoryTree {
  readonly #root: FolderNode;
  readonly #now: () => number;
  readonly #key: (name: string) => string;

  /** Names with the same `key` are the same name. */
  constructor(now: () => number, key: (name: string) => string) {
    this.#now = now;
    this.#key = key;
    this.#root = this.#emptyFolder();
  }

  seed(path: string, bytes: Uint8Array): void {
    const { root, dir } = parse(path);
    if (dir !== root) this.makeFolders(dir);
    this.write(path, bytes);
  }

  stat(path: string): FsEntryInfo {
    const node = this.#existing(path, "stat");
    return {
      isFile: node.kind === "file",
      isDirectory: node.kind === "folder",
      isSymlink: this.#locateEntry(path, "stat").node?.kind === "link",
      size: node.kind === "file" ? node.bytes.length : 0,
      modifiedMs: node.modifiedMs,
    };
  }

  exists(path: string): boolean {
    try {
      return this.locate(path, "stat").node !== undefined;
    } catch (error) {
      if (error instanceof MemoryFsError && error.code === "ENOTDIR") return false;
      throw error;
    }
  }

  file(path: string, operation: string): FileNode {
    const node = this.#existing(path, operation);
    if (node.kind === "folder") throw new MemoryFsError("EISDIR", operation, path);
    return node;
  }

  folder(path: string, operation: string): FolderNode {
    const node = this.#existing(path, operation);
    if (node.kind === "file") throw new MemoryFsError("ENOTDIR", operation, path);
    return node;
  }

  write(path: string, bytes: Uint8Array): void {
    const place = this.locate(path, "open");
    if (place.node?.kind === "folder") throw new MemoryFsError("EISDIR", "open", path);
    this.#put(place, { kind: "file", bytes, modifiedMs: this.#now() }, { operation: "open", path });
  }

  makeFolder(path: string): void {
    const place = this.#locateEntry(path, "mkdir");
    if (place.node) throw new MemoryFsError("EEXIST", "mkdir", path);
    this.#put(place, this.#emptyFolder(), { operation: "mkdir", path });
  }

  // Never through a dangling link: the system's mkdir does not create a folder at a link's target either.
  makeFolders(path: string): void {
    const { root, segments } = split(path, "mkdir");
    for (const index of segments.keys()) {
      const at = root + segments.slice(0, index + 1).join(sep);
      const isLast = index === segments.length - 1;
      const node = this.locate(at, "mkdir").node;
      if (node?.kind === "folder") continue;
      if (node) throw new MemoryFsError(isLast ? "EEXIST" : "ENOTDIR", "mkdir", path);
      if (this.#locateEntry(at, "mkdir").node)
        throw new MemoryFsError(isLast ? "ENOENT" : "ENOTDIR", "mkdir", path);
      this.makeFolder(at);
    }
  }

  remove(path: string, { recursive = false, ignoreMissing = false }: RemoveOptions = {}): void {
    const { node, parent, name } = this.#locateEntry(path, "rm");
    if (!node) {
      if (ignoreMissing) return;
      throw new MemoryFsError("ENOENT", "rm", path);
    }
    if (node.kind === "folder" && !recursive) throw new MemoryFsError("ERR_FS_EISDIR", "rm", path);
    if (!parent) throw new MemoryFsError("EBUSY", "rm", path);
    parent.children.delete(this.#key(name));
    parent.modifiedMs = this.#now();
  }

  link(target: string, path: string): void {
    const place = this.#locateEntry(path, "symlink");
    if (place.node) throw new MemoryFsError("EEXIST", "symlink", path);
    this.#put(place, { kind: "link", target }, { operation: "symlink", path });
  }

  /** Follows every link, including a dangling last one; missing names are appended unchanged. */
  locate(path: string, operation: string): Place {
    return this.#walk(path, { operation, followsLast: true });
  }

  #locateEntry(path: string, operation: string): Place {
    return this.#walk(path, { operation, followsLast: false });
  }

  #existing(path: string, operation: string): FileNode | FolderNode {
    const { node } = this.locate(path, operation);
    if (!node || node.kind === "link") throw new MemoryFsError("ENOENT", operation, path);
    return node;
  }

  // Segment by segment, because `..` in a link's target is relative to where the link really is.
  #walk(path: string, how: { readonly operation: string; readonly followsLast: boolean }): Place {
    const { operation, followsLast } = how;
    const { root, segments } = split(path, operation);
    let pending = segments;
    let trail: Step[] = [{ name: root, node: this.#root }];
    let links = 0;
    for (let segment = pending.shift(); segment !== undefined; segment = pending.shift()) {
      if (segment === "..") {
        if (trail.length > 1) trail.pop();
        continue;
      }
      const within = trail.at(-1)?.node;
      if (within && within.kind !== "folder") throw new MemoryFsError("ENOTDIR", operation, path);
      if (within && Buffer.byteLength(segment) > MAX_NAME_BYTES)
        throw new MemoryFsError("ENAMETOOLONG", operation, path);
      const child = within?.children.get(this.#key(segment)) ?? { name: segment, node: undefined };
      if (child.node?.kind !== "link" || (pending.length === 0 && !followsLast)) {
        trail.push(child);
        continue;
      }
      if (++links > MAX_LINKS) throw new MemoryFsError("ELOOP", operation, path);
      const targetRoot = parse(child.node.target).root;
      if (targetRoot !== "") trail = trail.slice(0, 1);
      pending = [...segmentsOf(child.node.target.slice(targetRoot.length)), ...pending];
    }
    const last = trail.at(-1);
    const parent = trail.at(-2)?.node;
    return {
      node: last?.node,
      parent: parent?.kind === "folder" ? parent : undefined,
      name: last?.name ?? "",
      realPath:
        root +
        trail
          .slice(1)
          .map((step) => step.name)
          .join(sep),
    };
  }

  #put(place: Place, node: Node, why: { readonly operation: string; readonly path: string }): void {
    if (!place.parent) throw new MemoryFsError("ENOENT", why.operation, why.path);
    place.parent.children.set(this.#key(place.name), { name: place.name, node });
    if (!place.node) place.parent.modifiedMs = this.#now();
  }

  #emptyFolder(): FolderNode {
    return { kind: "folder", children: new Map(), modifiedMs: this.#now() };
  }
}

const REASONS = {
  EBUSY: "resource busy or locked",
  EEXIST: "file already exists",
  EINVAL: "the path is not absolute",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links encountered",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  ERR_FS_EISDIR: "the path is a directory and the removal is not recursive",
  ERR_INVALID_ARG_VALUE: "the path contains a NUL byte",
} as const;

class MemoryFsError extends Error {
  readonly code: keyof typeof REASONS;

  constructor(code: keyof typeof REASONS, operation: string, path: string) {
    super(`${code}: ${REASONS[code]}, ${operation} '${path}'`);
    this.code = code;
  }
}

function split(path: string, operation: string): { readonly root: string; readonly segments: string[] } {
  if (path.includes("\0")) throw new MemoryFsError("ERR_INVALID_ARG_VALUE", operation, path);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new MemoryFsError("ENAMETOOLONG", operation, path);
  const { root } = parse(path);
  if (root === "") throw new MemoryFsError("EINVAL", operation, path);
  return { root, segments: segmentsOf(path.slice(root.length)) };
}

function segmentsOf(path: string): string[] {
  return path.split(sep).filter((segment) => segment !== "" && segment !== ".");
}
