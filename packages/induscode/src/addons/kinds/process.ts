// An addon that is any program (tier 1, process), named by `[run] command` of its manifest.

import { join } from "node:path";
import { describeError } from "indusagi/core";
import { type AddonSource, LoaderError } from "../contract.ts";
import type { AddonProgram, CodeAddon } from "../process/contract.ts";
import type { AddonDescriptor, RunDescriptor } from "../source/manifest.ts";
import { declaredParts } from "./declared-parts.ts";
import { findProgram, isProgram } from "./find-program.ts";
import { ownFile } from "./own-entry.ts";
import { interpreterProblem } from "./script-interpreter.ts";

/** The default for a program of any language if its manifest gives no value. */
export const PROCESS_MEMORY_MB = 256;

/** The addon of a manifest with `[run] command`. Runs none of it. */
export function describeProcess(
  source: AddonSource,
  descriptor: AddonDescriptor & { readonly run: Extract<RunDescriptor, { readonly kind: "process" }> },
): CodeAddon {
  const { id, run } = descriptor;
  return {
    runtime: "process",
    source,
    id,
    hasDeclaredId: true,
    ...declaredParts(descriptor),
    runs: `the program ${run.command.map((word) => JSON.stringify(word)).join(" ")}`,
    warnings: [],
    program: async () => processProgram(source.root, run),
  };
}

/** How the program is started. Throws a {@link LoaderError} if it is neither the addon's own nor the system's. */
export function processProgram(
  root: string,
  { command, memoryMb = PROCESS_MEMORY_MB }: Extract<RunDescriptor, { readonly kind: "process" }>,
): AddonProgram {
  return {
    runtime: "process",
    argv: findCommand(root, "command", command),
    cwd: root,
    readable: [root],
    isNode: false,
    maxMemoryBytes: memoryMb * 1024 * 1024,
  };
}

/** The command line that `[run] KEY` names, with the path of its program. Throws like {@link processProgram}. */
export function findCommand(root: string, key: string, command: readonly string[]): readonly string[] {
  const [name = "", ...args] = command;
  return [name.includes("/") ? ownProgram(root, key, name) : systemProgram(root, key, name), ...args];
}

/** A program of the addon's own must be where the content hash covers it. */
function ownProgram(root: string, key: string, name: string): string {
  let problem: string | undefined;
  try {
    const real = ownFile(root, join(root, name));
    problem = isProgram(real) ? interpreterProblem(real) : `it is not executable: run chmod +x ${real}`;
    if (problem === undefined) return real;
  } catch (cause) {
    problem = describeError(cause);
  }
  const detail = `[run] ${key}: ${JSON.stringify(name)} cannot be run: ${problem}`;
  throw new LoaderError({ kind: "invalid", path: root }, detail);
}

function systemProgram(root: string, key: string, name: string): string {
  const found = findProgram(name);
  if (found !== undefined) return found;
  const detail = `[run] ${key}: program ${JSON.stringify(name)} not found in the system's folders; write a program of the addon's own with a slash, as in "./${name}"`;
  throw new LoaderError({ kind: "invalid", path: root }, detail);
}
