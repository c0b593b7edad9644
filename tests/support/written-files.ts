// Which paths a command creates, changes or removes below a folder, from a trace of its system calls.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { builtCommand } from "./built.ts";

const CALLS =
  "open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mknod,mknodat,truncate";
/** Opened for writing, or created. */
const WRITES = /O_CREAT|O_WRONLY|O_RDWR|O_TRUNC/;

export interface WritingCommand {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the trace is kept meanwhile; outside of the folder that is examined. */
  readonly scratch: string;
}

/** The paths below `folder`, relative to it. Throws if the trace names a path in a way that this cannot follow. */
export async function writtenBelow(
  folder: string,
  args: readonly string[],
  { cwd, env, scratch }: WritingCommand,
): Promise<readonly string[]> {
  const trace = join(scratch, "trace");
  const options = ["-f", "-qq", "-s", "4096", "-e", "signal=none", "-e", `trace=${CALLS}`, "-o", trace];
  const child = spawn("strace", [...options, "--", builtCommand(), ...args], { cwd, env, stdio: "ignore" });
  await once(child, "exit");
  const lines = readFileSync(trace, "utf8").split("\n");
  rmSync(trace);
  const found = new Set<string>();
  for (const line of lines) {
    const call = /^\d+\s+(\w+)\(/.exec(line)?.[1];
    if (/ = -1 E/.test(line)) continue; // the call failed
    if (call === undefined || (call.startsWith("open") && !WRITES.test(line))) continue;
    for (const [, path = ""] of line.matchAll(/"((?:[^"\\]|\\.)*)"/g))
      if (path.startsWith(`${folder}/`)) found.add(path.slice(folder.length + 1));
  }
  return [...found];
}
