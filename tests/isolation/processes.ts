// Which processes of the machine belong to an addon: those that name its folder in their command line.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The processes whose command line names `marker`, with the sandbox's own around them. */
export function processesOf(marker: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => belongsTo(pid, marker));
}

function belongsTo(pid: number, marker: string): boolean {
  return textOf(pid, "cmdline").includes(marker) && !isZombie(pid);
}

/** Those among them that run the addon's code, and do not only watch over it. */
export function programsOf(marker: string): readonly number[] {
  return processesOf(marker).filter((pid) => !WRAPPERS.has(programOf(pid)));
}

/** Waits until none is left; the milliseconds that it took, or undefined where `limitMs` did not suffice. */
export async function untilGone(marker: string, limitMs: number): Promise<number | undefined> {
  const since = performance.now();
  let left = processesOf(marker);
  while (left.length > 0 && performance.now() - since < limitMs) {
    await sleep(20);
    left = left.filter((pid) => belongsTo(pid, marker));
    if (left.length === 0) left = processesOf(marker); // one of them may have started another
  }
  return left.length === 0 ? performance.now() - since : undefined;
}

/** The process group of a process; undefined for one that is gone. */
export function groupOf(pid: number): number | undefined {
  // The name in parentheses may hold anything: the fields after it are the state, the parent and the group.
  const fields = textOf(pid, "stat").split(") ").at(-1)?.split(" ");
  return fields?.[2] === undefined ? undefined : Number(fields[2]);
}

/** Resident memory of one process, in bytes; 0 for one that is gone. */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(pid, "status"))?.[1];
  return kib === undefined ? 0 : Number(kib) * 1024;
}

const WRAPPERS: ReadonlySet<string> = new Set(["bwrap", "sh", "dash", "bash", ""]);

function programOf(pid: number): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return ""; // it has ended meanwhile
  }
}

function isZombie(pid: number): boolean {
  return /^State:\s+Z/m.test(textOf(pid, "status"));
}

function textOf(pid: number, file: "cmdline" | "stat" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}
