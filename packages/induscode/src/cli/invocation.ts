// What a run of the command takes from its process, read once at the entry point: nothing below queries or changes the process, so that
// sessions in other folders can run alongside this one.

import { accessSync, constants, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "indusagi/core";
import type { CommandLine, Flags } from "./flags.ts";
import type { Part } from "./part.ts";
import { Problem } from "./problem.ts";
import type { Secrets } from "./secrets.ts";

/** What was typed, with the process's environment and working directory. `Own` are the flags that only one subcommand takes. */
export type Invocation<Own = unknown> = CommandLine & {
  readonly flags: Own;
  readonly env: NodeJS.ProcessEnv;
  /** The folder in which the command was started, whatever `--cwd` says: the base for paths on the command line. */
  readonly startedIn: string;
  /** The known secrets: everything opened for this run hides them too. */
  readonly secrets: Secrets;
  /** What people can name: each session opened for this run has them. */
  readonly parts: readonly Part[];
  /** The names of all subcommands, for whoever looks for one in a console; absent where nobody types. */
  readonly subcommands?: readonly string[];
};

/** The real path of the folder to work in. Throws a {@link Problem} that says what is wrong with it. */
export function workingDirectory({
  flags,
  startedIn,
}: Pick<Invocation, "startedIn"> & { readonly flags: Pick<Flags, "cwd"> }): string {
  const wanted = flags.cwd ?? startedIn;
  try {
    const path = realpathSync(resolve(startedIn, wanted));
    accessSync(`${path}/.`, constants.X_OK); // a folder, and one that commands can be started in
    return path;
  } catch (error) {
    throw new Problem(`the working directory ${wanted} cannot be used: ${describeError(error)}`);
  }
}
