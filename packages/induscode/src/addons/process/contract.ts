// What a loader knows about a program before it runs, and what the host holds while it runs. Shapes, without I/O.

import type { CapabilityRequest, FailurePolicy } from "../../feature/descriptor.ts";
import type { AddonId, AddonSource, Admission } from "../contract.ts";

export type { Admission };

/** How to start an addon's own process, before it is confined. */
export interface AddonProgram {
  /**
   * `mcp` and `hooks` work for programs of others: they may start processes, their environment has the granted secrets, and the granted
   * hosts are within their reach.
   */
  readonly runtime: "module" | "python" | "process" | "wasm" | "mcp" | "hooks";
  /** argv[0] is absolute. */
  readonly argv: readonly string[];
  /** The addon's folder. */
  readonly cwd: string;
  /** What it must read to run at all: its own files, its interpreter, its runner. Real paths. */
  readonly readable: readonly string[];
  readonly isNode: boolean;
  readonly maxMemoryBytes: number;
}

/** Whether such an addon works for programs that do not know the host, and so get what was granted without asking it. */
export function worksForPrograms({ runtime }: Pick<AddonProgram, "runtime">): boolean {
  return runtime === "mcp" || runtime === "hooks";
}

/** A code addon as its files describe it, before any of it has run. */
export interface CodeAddon {
  readonly runtime: AddonProgram["runtime"];
  readonly source: AddonSource;
  /**
   * From the manifest, otherwise as declared in its source, otherwise from its location. The id its program registers
   * overrides the latter two.
   */
  readonly id: AddonId;
  /** The id is in a manifest; the program may not choose another. */
  readonly hasDeclaredId: boolean;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** From its manifest; what its program declares is added. */
  readonly onFailure?: FailurePolicy | undefined;
  /** How long its process may take to start and register, if its manifest says so. */
  readonly startMs?: number | undefined;
  /** How long a call of one of its tools or commands may take, if its manifest says so. */
  readonly callMs?: number | undefined;
  /** Where its server is reached over HTTP: what a login is for. */
  readonly loginUrl?: string | undefined;
  /** To be read where it does not start. */
  readonly advice?: string;
  /** What it requests statically; the program can request nothing beyond it. */
  readonly capabilities: readonly CapabilityRequest[];
  /** What will run: one line for the person who is asked. */
  readonly runs: string;
  /** Called once the source is trusted: may compile and look for interpreters. Rejects with a `LoaderError`. */
  readonly program: (admission: Admission) => Promise<AddonProgram>;
  readonly warnings: readonly string[];
}
