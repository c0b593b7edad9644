// A program for the tests, confined or not, that runs until it is killed or ends: its output so far, and whether any process
// that holds its output is still alive.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { expect } from "vitest";
import { untilHolds } from "./until.ts";

interface RunningProgram {
  readonly pid: number;
  readonly output: () => string;
  /** Every process that could write to its output has ended. */
  readonly hasEnded: () => boolean;
  /** Resolves when the output contains this text. */
  readonly says: (text: string) => Promise<void>;
  readonly killGroup: () => void;
}

/** Starts it in a group of its own, as the host starts addons. Its stderr goes to its output. */
export function startProgram(argv: readonly string[], cwd: string): RunningProgram {
  const [file = "", ...args] = argv;
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(file, args, {
    cwd,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  let open = 2;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.on("end", () => {
      open--;
    });
  }
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  return {
    pid,
    output: () => text,
    hasEnded: () => open === 0,
    says: async (expected) => void (await untilHolds(() => expect(text).toContain(expected))),
    killGroup: () => {
      process.kill(-pid, "SIGKILL");
    },
  };
}
