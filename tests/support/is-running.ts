import { readFileSync } from "node:fs";

/** Whether a process is there and is not one that has ended and waits for its parent. Linux only. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
