// Whether processes started from here inherit open files that nobody passed to them. Node closes its own for its children, and those it
// was started with as long as their numbers are consecutive; anything else the person's terminal left open would be open to a program.

import { readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

/** True also when it cannot be determined. */
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
    if ((error as { readonly code?: string }).code === "ENOENT") return false; // this was the descriptor of the listing itself
    throw error;
  }
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags === undefined || (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
}
