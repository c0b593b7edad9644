// Whether what this process starts gets open files that nobody hands to it. Node closes its own for its children, and those that it
// was started with where their numbers follow each other; what else the person's terminal left open would be open to a program.

import { readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

/** True also where it cannot be told. */
export function leavesFilesOpen(): boolean {
  try {
    return readdirSync("/proc/self/fd").some((fd) => Number(fd) > 2 && isLeft(fd));
  } catch {
    return true;
  }
}

function isLeft(fd: string): boolean {
  let info: string;
  try {
    info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
  } catch (error) {
    if ((error as { readonly code?: string }).code === "ENOENT") return false; // it was the one for the list itself
    throw error;
  }
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags === undefined || (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
}
