// The project's boundary: what lies inside may speak to the model; what lies outside may not be pulled in by it.

import { dirname, join } from "node:path";
import { isInside } from "indusagi/core";
import { type FoundFile, findFile } from "./text-file.ts";

/**
 * The nearest folder from `cwd` upward that contains a `.git`, otherwise `cwd`. Never the home folder or one above it, and
 * never by another person's `.git`: write access to a shared parent must not widen the project (CVE-2022-24765).
 */
export function findWorkspaceRoot(cwd: string, home: string): string {
  const isOurs = ownerCheck(cwd);
  for (const folder of ancestors(cwd)) {
    if (folder !== cwd && isInside(folder, home)) return cwd;
    const git = findFile(join(folder, ".git"));
    if (git && isOurs(git)) return folder;
  }
  return cwd;
}

/** `path` and every folder above it, nearest first. */
export function ancestors(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

/** Whether a file belongs to this person, to the system, or to the owner of `folder`. */
export function ownerCheck(folder: string): (file: FoundFile) => boolean {
  if (process.getuid === undefined) return () => true; // no owners on Windows
  const ours = new Set([process.getuid(), 0, findFile(folder)?.stats.uid]);
  return ({ stats }) => ours.has(stats.uid);
}
