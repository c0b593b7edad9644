// Which processes are alive, determined without our own code: tests must not ask the code they test. For tests only.

import { readdirSync, readFileSync } from "node:fs";

/** Processes with `NAME=value` in their environment, wherever they have moved; always empty except on Linux. */
export function processesMarked(entry: string): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).split("\0").includes(entry))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // it ended in the meantime, or is another user's
  }
}
