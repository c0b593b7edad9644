// Runs a command line to its end, for tests: in a group of its own as the host starts addons, with a deadline.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { PATIENCE_MS } from "./until.ts";

interface Ran {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Open files that it gets as descriptors 3 and up; they are closed here. */
  readonly handles?: readonly number[] | undefined;
}

/** Its output and how it ended. After the deadline its group is killed. */
export async function run(
  argv: readonly string[],
  {
    cwd,
    env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" },
    timeoutMs = PATIENCE_MS,
    handles = [],
  }: RunOptions,
): Promise<Ran> {
  const [file = "", ...args] = argv;
  const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe", ...handles], detached: true });
  for (const handle of handles) closeSync(handle);
  child.stdin?.end();
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  const deadline = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  try {
    const [status, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return {
      status,
      signal,
      stdout: Buffer.concat(out).toString(),
      stderr: Buffer.concat(errors).toString(),
    };
  } finally {
    clearTimeout(deadline);
  }
}
