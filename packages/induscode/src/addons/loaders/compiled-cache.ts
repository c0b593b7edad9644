// What was compiled, by the name of what it was compiled from. Below the person's home folder, and theirs alone to read.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError } from "indusagi/core";
import { LoaderError } from "../contract.ts";
import { noteUse, removeUnused } from "../unused-entries.ts";

export interface CompiledFile {
  /** Its `/`-separated path in the entry. */
  readonly name: string;
  readonly code: string;
}

export interface CompiledCache {
  /** The folder of an entry; undefined where there is none. That it was asked for is noted. */
  readonly find: (key: string) => string | undefined;
  /** Its folder. Of two that store the same at one time, one wins and both are right. Throws a {@link LoaderError} `io`. */
  readonly store: (key: string, files: readonly CompiledFile[]) => string;
}

/** The entries below `root`, which need not exist. */
export function createCompiledCache(root: string): CompiledCache {
  return {
    find(key) {
      const folder = join(root, key);
      // An entry is written under another name: one that has its own is complete.
      if (!existsSync(folder)) return undefined;
      noteUse(folder);
      return folder;
    },
    store(key, files) {
      const folder = join(root, key);
      try {
        write(folder, files);
      } catch (cause) {
        const detail = `cannot be written: ${describeError(cause)}`;
        throw new LoaderError({ kind: "io", path: folder }, detail, { cause });
      }
      removeUnused(root, key);
      return folder;
    },
  };
}

function write(folder: string, files: readonly CompiledFile[]): void {
  const fresh = `${folder}.new-${process.pid}-${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(fresh, { recursive: true, mode: 0o700 });
    for (const { name, code } of files) {
      const path = join(fresh, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, code, { mode: 0o600 });
    }
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another one won
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
