// A program that walks trees and says what in them can be opened for writing. It only opens: nothing is created, truncated or written,
// because what it reaches may be the settings of a machine that others use.

export interface Walk {
  /** Folders with how far below them to look. */
  readonly roots: readonly (readonly [path: string, depth: number])[];
  /** The same for every mount that the program has. */
  readonly mountDepth: number;
}

export interface Walked {
  /** How many files it tried to open. */
  readonly tried: number;
  /** Files that could be opened for writing. */
  readonly files: readonly string[];
  /** Folders that the mount and the mode let the program write in. Landlock has no say in the answer. */
  readonly folders: readonly string[];
}

/**
 * Run with Node and a {@link Walk} as JSON; prints a {@link Walked}. Links are not followed. Left out are pipes and sockets, whose other
 * end would notice, and devices that may act when they are opened or closed, such as watchdogs, tapes and disks.
 */
export const WALK: string = `
import * as fs from "node:fs";
import { join } from "node:path";
const { roots, mountDepth } = JSON.parse(process.argv[2]);
const { O_WRONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW, W_OK } = fs.constants;
const MEMORY = 1, TERMINALS = [4, 5, 136];
const walked = { tried: 0, files: [], folders: [] };
const seen = new Set();
const attempt = (work, otherwise) => { try { return work(); } catch { return otherwise; } };
const isHarmless = (entry) =>
  entry.isFile() || (entry.isCharacterDevice() && [MEMORY, ...TERMINALS].includes((entry.rdev >> 8) & 0xfff));
const visit = (path, depth) => {
  const entry = attempt(() => fs.lstatSync(path));
  if (entry === undefined || entry.isSymbolicLink()) return;
  if (!entry.isDirectory()) {
    if (seen.has(path) || !isHarmless(entry)) return;
    seen.add(path);
    walked.tried++;
    const handle = attempt(() => fs.openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
    if (handle === undefined) return;
    fs.closeSync(handle);
    walked.files.push(path);
    return;
  }
  if (!seen.has(path) && attempt(() => (fs.accessSync(path, W_OK), true), false)) walked.folders.push(path);
  seen.add(path);
  if (depth > 0) for (const name of attempt(() => fs.readdirSync(path), [])) visit(join(path, name), depth - 1);
};
for (const [path, depth] of roots) visit(attempt(() => fs.realpathSync(path), path), depth);
const mounts = attempt(() => fs.readFileSync("/proc/self/mountinfo", "utf8"), "").split("\\n");
for (const mount of mounts) if (mount !== "") visit(mount.split(" ")[4].replaceAll("\\\\040", " "), mountDepth);
process.stdout.write(JSON.stringify(walked), () => process.exit(0));
`;
