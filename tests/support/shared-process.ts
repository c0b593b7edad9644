// Runs the command in a process that is reused (shared-process.cjs): for tests that are not about processes, at a quarter
// of the cost. What concerns the process itself, its signals, standard input and end, needs a process of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { builtFolder } from "./built.ts";

export interface SharedRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface SharedEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEADLINE_MS = 60_000;
const PROGRAM: string = fileURLToPath(new URL("shared-process.cjs", import.meta.url));

/** Concurrent runs have a process each. */
const idle: ChildProcess[] = [];

/** Runs the command as a process of its own would, and returns the result. */
export async function runShared({ args, cwd, env }: SharedRun): Promise<SharedEnd> {
  const last = idle.pop();
  const host = last?.connected ? last : startHost();
  keepAlive(host, true);
  const end = `\0${randomUUID()}\0`;
  const { stdout, stderr } = host;
  if (!stdout || !stderr) throw new Error("the shared process has no outputs");
  const outputs = Promise.all([readUntil(stdout, end), readUntil(stderr, end)]);
  const ended = new Promise<number | null>((resolve) => {
    const answer = (message: unknown): void => settle((message as { readonly code: number }).code);
    const settle = (code: number | null): void => {
      host.off("message", answer).off("exit", settle);
      resolve(code);
    };
    host.on("message", answer).on("exit", settle);
  });
  host.send({ args, cwd, env, end });
  const timer = setTimeout(() => host.kill("SIGKILL"), DEADLINE_MS);
  const code = await ended;
  clearTimeout(timer);
  const [said, told] = await outputs;
  keepAlive(host, false);
  if (host.exitCode === null && host.signalCode === null) idle.push(host);
  return { code, stdout: said, stderr: told };
}

/** Ends the processes of the test file that is done, except one, which the next file of this worker uses. */
export function endSpareShared(): void {
  for (const host of idle.splice(1)) host.disconnect();
}

/** Whether this process waits for it: an idle one ends when nobody is left at the other end of its channel. */
function keepAlive(host: ChildProcess, isBusy: boolean): void {
  for (const part of [host, host.channel, host.stdout as Socket | null, host.stderr as Socket | null])
    isBusy ? part?.ref() : part?.unref();
}

function startHost(): ChildProcess {
  builtFolder();
  // Only PATH is taken from this process's environment: each run has its own.
  const env = { PATH: process.env.PATH };
  return spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
}

/** The output before `end`; all output if the process ended without it. */
function readUntil(output: NodeJS.ReadableStream, end: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const settle = (text: string): void => {
      output.off("data", hear).off("end", stop);
      resolve(text);
    };
    const stop = (): void => settle(Buffer.concat(chunks).toString());
    const hear = (chunk: Buffer): void => {
      chunks.push(chunk);
      const all = Buffer.concat(chunks);
      if (all.includes(end, Math.max(0, all.length - chunk.length - end.length)))
        settle(all.toString().slice(0, -end.length));
    };
    output.on("data", hear).on("end", stop);
  });
}
