// Reads the folders of one level before the walk comes to them, so that the disk and the thread pool are not idle.

import type { DirChild, Fs } from "../kernel/contract.ts";
import { type FolderRules, readFolderRules } from "./ignore-scope.ts";

export type Listing =
  | {
      readonly kind: "read";
      readonly children: readonly DirChild[];
      /** Absent where ignore files do not count. */
      readonly rules: FolderRules | undefined;
    }
  | { readonly kind: "failed"; readonly error: unknown };

/** What is read of a folder. Rules are read where there is a scope for them. */
export interface ReadableFolder {
  readonly path: string;
  readonly scope: object | undefined;
}

// Each level has its own: folders of an outer level, read long before their turn, must not hold up the inner ones.
const FOLDERS_AHEAD = 32;

// What may wait for its turn, in all levels together.
const MAX_ENTRIES_WAITING = 100_000;

/** Shared by the levels of one walk. */
export class FolderReader {
  readonly #fs: Fs;
  #entriesWaiting = 0;

  constructor(fs: Fs) {
    this.#fs = fs;
  }

  get isFull(): boolean {
    return this.#entriesWaiting > MAX_ENTRIES_WAITING;
  }

  /** Reads a folder whose turn has come. Never rejects. */
  async read({ path, scope }: ReadableFolder): Promise<Listing> {
    try {
      const children = await this.#fs.readDir(path);
      const rules = scope === undefined ? undefined : await readFolderRules(this.#fs, path, children);
      return { kind: "read", children, rules };
    } catch (error) {
      return { kind: "failed", error };
    }
  }

  async readAhead(folder: ReadableFolder): Promise<Listing> {
    const listing = await this.read(folder);
    this.#entriesWaiting += entryCount(listing);
    return listing;
  }

  /** A folder that was read ahead has had its turn. */
  release(listing: Listing): void {
    this.#entriesWaiting -= entryCount(listing);
  }
}

function entryCount(listing: Listing): number {
  return listing.kind === "read" ? listing.children.length : 0;
}

/** The folders of one level in their order. */
export class ReadAhead<Folder extends ReadableFolder> {
  readonly #reader: FolderReader;
  readonly #folders: readonly Folder[];
  readonly #waiting = new Map<Folder, Promise<Listing>>();
  #next = 0;
  #passed = 0;

  constructor(reader: FolderReader, folders: readonly Folder[]) {
    this.#reader = reader;
    this.#folders = folders;
  }

  /** Starts reading the next folders that are wanted. */
  fill(isWanted: (folder: Folder) => boolean): void {
    while (this.#waiting.size < FOLDERS_AHEAD && this.#next < this.#folders.length && !this.#reader.isFull) {
      const folder = this.#folders[this.#next++];
      if (folder !== undefined && isWanted(folder)) this.#waiting.set(folder, this.#reader.readAhead(folder));
    }
  }

  /** The listing of `folder`, whose turn has come. Never rejects. */
  take(folder: Folder): Promise<Listing> {
    return this.#pass(folder) ?? this.#reader.read(folder);
  }

  /** The turn of `folder` has come, and its listing is not wanted any more. */
  skip(folder: Folder): void {
    this.#pass(folder);
  }

  #pass(folder: Folder): Promise<Listing> | undefined {
    this.#next = Math.max(this.#next, ++this.#passed);
    const waiting = this.#waiting.get(folder);
    this.#waiting.delete(folder);
    return waiting?.then((listing) => {
      this.#reader.release(listing);
      return listing;
    });
  }
}
