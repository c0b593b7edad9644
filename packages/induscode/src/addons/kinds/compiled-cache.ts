// Compiled files, keyed by what they were compiled from. Stored below the person's home folder, readable only by them.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describeError } from "indusagi/core";
import { homePath } from "../../store/home-files.ts";
import { placeFolder } from "../../store/replace-file.ts";
import { noteUse, removeUnused } from "../../store/unused-entries.ts";
import { LoaderError } from "../contract.ts";

export interface CompiledFile {
  /** Its `/`-separated path in the entry. */
  readonly name: string;
  readonly code: string;
}

interface CompiledCache {
  /** The folder of an entry; undefined if there is none. Records that the entry was used. */
  readonly find: (key: string) => string | undefined;
  /** Returns the entry's folder. If two store the same entry at once, one wins and both are right. Throws a {@link LoaderError} `io`. */
  readonly store: (key: string, files: readonly CompiledFile[]) => string;
}

/** The entries of a home, which need not exist. */
export function createCompiledCache(home: string): CompiledCache {
  return {
    find(key) {
      const folder = homePath(home, "compiled", key);
      // An entry is written under a temporary name: one with its final name is complete.
      if (!existsSync(folder)) return undefined;
      noteUse(folder);
      return folder;
    },
    store(key, files) {
      const folder = homePath(home, "compiled", key);
      try {
        placeFolder(folder, files);
      } catch (cause) {
        const detail = `cannot be written: ${describeError(cause)}`;
        throw new LoaderError({ kind: "io", path: folder }, detail, { cause });
      }
      removeUnused(dirname(folder), key);
      return folder;
    },
  };
}
