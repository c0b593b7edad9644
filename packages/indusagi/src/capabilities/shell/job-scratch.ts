// Where the output of background jobs is stored: `.indus-process/<mark>/` in the working folder, accessible to its owner only.

import { chmod, lstat, mkdir, opendir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../core/faults.ts";
import { isOrphan, killOrphans } from "../backends/marked-processes.ts";

/** Skipped by every search (`search/walk.ts`): a job that searched its own output would feed itself. */
const SCRATCH_NAME = ".indus-process";

const OWNER_ONLY = 0o700;

/** Creates the folder of one job. Rejects with a system error, also when something else is in its place. */
export async function createJobFolder(cwd: string, mark: string): Promise<string> {
  const scratch = join(cwd, SCRATCH_NAME);
  await makeOwnFolder(scratch);
  try {
    await writeFile(join(scratch, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }); // never committed
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  const folder = join(scratch, mark);
  await mkdir(folder, { mode: OWNER_ONLY });
  return folder;
}

/** Removes what is at `path`, following no link. False when something remains; the next sweep tries again. */
export async function removeJobFolder(path: string): Promise<boolean> {
  try {
    await rm(path, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

export interface JobSweep {
  /** Removed folders of ended owners. */
  readonly folders: number;
  /** Killed processes of ended owners. */
  readonly processes: number;
}

/**
 * Ends the jobs that a killed host left running, wherever they run, and removes the folders it left in `cwd`. Whatever belongs to a
 * living process, or to one that is not visible from here, stays. Rejects only when the system refuses the most basic lookup.
 */
export async function sweepJobs(cwd: string): Promise<JobSweep> {
  const processes = killOrphans();
  const scratch = join(cwd, SCRATCH_NAME);
  let folders = 0;
  for (const name of await foldersIn(scratch)) {
    if (isOrphan(name) && (await removeJobFolder(join(scratch, name)))) folders++;
  }
  return { folders, processes };
}

// A repository can bring a folder of this name with any content.
const MAX_FOLDERS = 10_000;

async function foldersIn(scratch: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    if (!(await lstat(scratch)).isDirectory()) return names;
    for await (const entry of await opendir(scratch)) {
      if (entry.isDirectory()) names.push(entry.name);
      if (names.length === MAX_FOLDERS) break;
    }
  } catch (error) {
    if (!["ENOENT", "EACCES", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
  return names;
}

async function makeOwnFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: OWNER_ONLY });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  const info = await lstat(path);
  const isOurs = process.geteuid === undefined || info.uid === process.geteuid();
  if (!info.isDirectory() || !isOurs) {
    const found = info.isSymbolicLink()
      ? "a link"
      : info.isDirectory()
        ? "another user's folder"
        : "not a folder";
    throw Object.assign(new Error(`${path} is ${found}; jobs keep their output there. Remove it.`), {
      code: "ENOTDIR",
    });
  }
  if ((info.mode & 0o777) !== OWNER_ONLY) await chmod(path, OWNER_ONLY);
}
