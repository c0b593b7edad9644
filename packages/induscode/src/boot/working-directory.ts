import { realpathSync } from "node:fs";
import { describeError } from "indusagi/core";
import type { Flags } from "./flags.ts";
import { Problem } from "./problem.ts";

let stood: string | undefined;

/** The folder in which the command was started, whatever `--cwd` says: what a path on the command line is taken from. */
export function standingPlace(): string {
  return stood ?? process.cwd();
}

/** Goes to the working directory that was asked for and answers its real path. Throws a {@link Problem} that says what is wrong with it. */
export function enterWorkingDirectory(flags: Flags): string {
  const wanted = flags.cwd ?? process.cwd();
  try {
    stood ??= process.cwd();
    process.chdir(wanted);
    return realpathSync(process.cwd());
  } catch (error) {
    throw new Problem(`the working directory ${wanted} cannot be used: ${describeError(error)}`);
  }
}
