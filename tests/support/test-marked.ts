// Who is alive, seen without our own code: tests must not ask the code they test. For tests only.

import { readdirSync, readFileSync } from "node:fs";

/** Processes that carry `NAME=value` in their environment, wherever they have gone; none but on Linux. */
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
    return ""; // it ended while we looked, or is another user's
  }
}
