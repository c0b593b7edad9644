// The hooks of another agent as an addon: `[run] hooks` of a manifest names the file. `runners/hooks/hooks-addon` runs their commands, in a process of
// its own that is confined like any other addon's.

import { dirname, join } from "node:path";
import { type AddonSource, LoaderError } from "../contract.ts";
import type { AddonProgram, Admission, CodeAddon } from "../process/contract.ts";
import { DEFAULT_HOOK_MS, hookMs, MAX_QUESTION_MS, mayAsk } from "../runners/hooks/hook-limits.ts";
import { commandInWords, readHooks } from "../runners/hooks/hook-table.ts";
import type { HooksFacts } from "../runners/hooks/hung-hooks.ts";
import { bundledAddon, runnerFile } from "../runners/runner-file.ts";
import { NODE_RESERVED_BYTES } from "../sandbox/process-limits.ts";
import type { AddonDescriptor, RunDescriptor } from "../source/manifest.ts";
import { realPath } from "../source/on-disk.ts";
import { readPluginParts } from "../source/plugin-file.ts";
import { declaredParts } from "./declared-parts.ts";

/** Of each of its processes, beside what Node reserves. */
const DEFAULT_MEMORY_MB = 512;
const NOT_COMPILED = "-";
/** So that it is the hook's own end that says what took too long. */
const MORE_MS = 1_000;

type HooksDescriptor = AddonDescriptor & {
  readonly run: Extract<RunDescriptor, { readonly kind: "hooks" }>;
};

/** The addon of a manifest with `[run] hooks`. Throws a {@link LoaderError} if there are none. */
export function describeHooks(
  source: AddonSource,
  descriptor: HooksDescriptor,
  workspace: string,
): CodeAddon {
  const { id, run } = descriptor;
  const { commands } = readHooks(readPluginParts(join(source.root, run.file))?.hooks ?? {});
  if (commands.length === 0)
    throw new LoaderError({ kind: "invalid", path: source.path }, `[run]: ${run.file} has no hooks`);
  const lines = commands.map((each) => {
    const { event, matcher } = each;
    const wait = hookMs(each) > DEFAULT_HOOK_MS ? `, up to ${hookMs(each) / 1_000} s` : "";
    return `${event}${matcher === undefined ? "" : ` ${matcher}`}${wait}: ${commandInWords(each)}`;
  });
  return {
    runtime: "hooks",
    source,
    id,
    hasDeclaredId: true,
    ...declaredParts(descriptor),
    runs: `the commands of hooks (${lines.join("; ")})`,
    patienceMs: Math.max(...commands.map(hookMs)) + (mayAsk(commands) ? MAX_QUESTION_MS : 0) + MORE_MS,
    warnings: [],
    program: async (admission) => hooksProgram(source.root, run, workspace, admission),
  };
}

function hooksProgram(
  root: string,
  { file, memoryMb = DEFAULT_MEMORY_MB }: HooksDescriptor["run"],
  workspace: string,
  { grants }: Admission,
): AddonProgram {
  const runner = runnerFile("module-runner");
  const addon = bundledAddon("hooks-addon");
  const mayRead = grants.some((grant) => grant.kind === "files" && grant.read);
  const facts: HooksFacts = { root, file, workspace, mayRead };
  return {
    runtime: "hooks",
    argv: [process.execPath, runner.path, addon, dirname(addon), NOT_COMPILED, JSON.stringify(facts)],
    cwd: root,
    readable: [root, ...runner.readable, addon, process.execPath].map(realPath),
    isNode: false, // Node's permission flags would hold for the commands, too
    maxMemoryBytes: memoryMb * 1024 * 1024 + NODE_RESERVED_BYTES,
  };
}
