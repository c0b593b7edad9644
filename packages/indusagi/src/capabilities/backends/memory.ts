// Assembles a tool's context in memory, for tests and for hosts that embed the tools.

import type { OutputBudget } from "../../core/clamp.ts";
import type { Framework, ToolContext } from "../kernel/contract.ts";
import { nextContextId } from "../kernel/tool-context.ts";
import { standardBudget } from "./local.ts";
import { type MemoryFs, memoryFs } from "./memory-fs.ts";
import { type MemoryShell, memoryShell, type ShellScript } from "./memory-shell.ts";

export interface MemoryContextOptions {
  /** Absolute paths and their content. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly script?: ShellScript;
  readonly signal?: AbortSignal;
  readonly budget?: OutputBudget;
  readonly framework?: Framework;
}

export interface MemoryContext extends ToolContext {
  readonly fs: MemoryFs;
  readonly shell: MemoryShell;
}

/** A context with files and commands in memory; otherwise like `makeLocalContext`. `cwd` exists. */
export async function makeMemoryContext(
  cwd: string,
  options: MemoryContextOptions = {},
): Promise<MemoryContext> {
  const fs = memoryFs(options.files);
  await fs.mkdir(cwd, { recursive: true });
  return {
    contextId: nextContextId(),
    cwd,
    fs,
    shell: memoryShell(options.script),
    signal: options.signal ?? new AbortController().signal,
    budget: options.budget ?? standardBudget(),
    framework: options.framework ?? {},
  };
}
