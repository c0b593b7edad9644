// What was compiled, by the name of what it was compiled from. Below the person's home folder, and theirs alone to read.

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
  /** The folder of an entry; undefined where there is none. That it was asked for is noted. */
  readonly find: (key: string) => string | undefined;
  /** Its folder. Of two that store the same at one time, one wins and both are right. Throws a {@link LoaderError} `io`. */
  readonly store: (key: string, files: readonly CompiledFile[]) => string;
}

/** The entries of a home, which need not exist. */
export function createCompiledCache(home: string): CompiledCache {
  return {
    find(key) {
      const folder = homePath(home, "compiled", key);
      // An entry is written under another name: one that has its own is complete.
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
