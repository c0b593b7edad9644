// Assembles a tool's context for this machine.

import type { OutputBudget } from "../../core/clamp.ts";
import type { Framework, Fs, Shell, ToolContext } from "../kernel/contract.ts";
import { nextContextId } from "../kernel/tool-context.ts";
import { elisionNotice } from "./elision-notice.ts";
import { localFs } from "./local-fs.ts";
import { localShell } from "./local-shell.ts";

const STANDARD_CEILING_BYTES = 65_536;

/** The kernel's default limit: the middle of anything over 64 KiB is dropped. */
export function standardBudget(): OutputBudget {
  return { kind: "middle", maxBytes: STANDARD_CEILING_BYTES, notice: elisionNotice };
}

export interface LocalContextOptions {
  readonly signal?: AbortSignal | undefined;
  readonly budget?: OutputBudget | undefined;
  readonly framework?: Framework;
  readonly fs?: Fs | undefined;
  readonly shell?: Shell;
  readonly home?: string | undefined;
}

/** A context rooted at `cwd`: local files and shell, a signal that never fires, the standard budget, no handles. */
export function makeLocalContext(cwd: string, options: LocalContextOptions = {}): ToolContext {
  return {
    contextId: nextContextId(),
    cwd,
    home: options.home,
    fs: options.fs ?? localFs(),
    shell: options.shell ?? localShell(),
    signal: options.signal ?? new AbortController().signal,
    budget: options.budget ?? standardBudget(),
    framework: options.framework ?? {},
  };
}
