// A folder of its own for each test, removed after it.

import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type AddonScope,
  type AddonSource,
  type Admission,
  addonId,
} from "../../packages/induscode/src/addons/contract.ts";

/** A new folder (its real path) with these files, given by relative path. */
export function createFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "indus-addons-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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

/** Creates `count` empty files in a quarter of the usual time: one file with that many names. */
export function fillFolder(folder: string, count: number, name: (at: number) => string): void {
  const [first, ...others] = Array.from({ length: count }, (_, at) => join(folder, name(at)));
  if (first === undefined) return;
  writeFileSync(first, "");
  for (const path of others) linkSync(first, path);
}

export function sourceAt(path: string, scope: AddonScope = "project"): AddonSource {
  return { id: addonId("derived"), path, root: path, scope };
}

/** For loaders of addons that need nothing. */
export const NOTHING_ADMITTED: Admission = { hash: "0".repeat(64), grants: [] };
