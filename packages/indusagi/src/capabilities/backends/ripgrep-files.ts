// The files below a folder as listed by ripgrep: files ignored by .gitignore are left out, hidden files are included.

import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { describeError } from "../../core/faults.ts";
import { PRUNED_NAMES } from "../search/folder-level.ts";
import { ripgrepPath } from "./ripgrep.ts";

export interface FileListing {
  readonly root: string;
  /** Whether ignore files above `root` apply, as they do in a repository. */
  readonly isInRepository: boolean;
  /** Paths relative to `root`, in no fixed order, in batches of one read each. */
  readonly onPaths: (paths: readonly string[]) => void;
  readonly signal: AbortSignal;
}

/** Resolves when all files are listed or the signal fires. Rejects if ripgrep is not installed, cannot run or is killed. */
export async function listFiles({ root, isInRepository, onPaths, signal }: FileListing): Promise<void> {
  const program = await ripgrepPath();
  if (program === undefined) throw new Error("ripgrep is not installed for this platform");
  if (signal.aborted) return;
  const args = [
    "--no-config",
    "--files",
    "--null",
    "--hidden",
    "--no-messages",
    "--no-ignore-dot",
    "--no-ignore-global",
    "--no-ignore-messages",
    "--no-require-git",
    ...(isInRepository ? [] : ["--no-ignore-parent"]),
    ...[...PRUNED_NAMES].map((name) => `--glob=!${name}/`),
  ];
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    const decoder = new StringDecoder("utf8");
    let rest = "";
    const onAbort = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (signal.aborted) return;
      const paths = (rest + decoder.write(chunk)).split("\0");
      rest = paths.pop() ?? "";
      if (paths.length > 0) onPaths(paths);
    });
    child.once("error", (error) => reject(new Error(`Cannot run ripgrep: ${describeError(error)}`)));
    child.once("close", (_code, killedBy) => {
      signal.removeEventListener("abort", onAbort);
      if (killedBy !== null && !signal.aborted) reject(new Error(`ripgrep was ended by ${killedBy}`));
      else resolve();
    });
  });
}
