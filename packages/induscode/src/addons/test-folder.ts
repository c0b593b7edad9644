// A folder of its own for each test, removed after it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { type AddonScope, type AddonSource, type Admission, addonId } from "./contract.ts";

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder (its real path) with these files, given by relative path. */
export function createFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "indus-addons-")));
  made.push(folder);
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

export function sourceAt(path: string, scope: AddonScope = "project"): AddonSource {
  return { id: addonId("derived"), path, root: path, scope };
}

/** For loaders whose addons need nothing. */
export const NOTHING_ADMITTED: Admission = { hash: "0".repeat(64), grants: [] };
