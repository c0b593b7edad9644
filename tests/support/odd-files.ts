// What can be found in place of a file, and must be neither waited for nor read completely.

import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync } from "node:fs";
import { expect } from "vitest";

/** Each creates one at an unused path. */
export const ODD_FILES: Readonly<Record<string, (path: string) => void>> = {
  "a pipe": (path) => expect(spawnSync("mkfifo", [path]).status).toBe(0),
  "a link to /dev/zero": (path) => symlinkSync("/dev/zero", path),
  "a folder": (path) => void mkdirSync(path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a file of 10 GB": (path) => {
    closeSync(openSync(path, "w"));
    truncateSync(path, 10 * 1024 ** 3);
  },
};
