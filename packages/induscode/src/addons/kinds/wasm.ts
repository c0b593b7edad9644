// An addon in WebAssembly: `[run] wasm` of a manifest. The module is checked as data here, and again by the runner that
// compiles it in a process of its own.

import { dirname } from "node:path";
import { type AddonSource, LoaderError } from "../contract.ts";
import type { AddonProgram, CodeAddon } from "../process/contract.ts";
import { checkWasm, WASM_PAGE_BYTES } from "../runners/check-wasm.ts";
import { runnerFile } from "../runners/runner-file.ts";
import type { AddonDescriptor } from "../source/manifest.ts";
import { declaredParts } from "./declared-parts.ts";
import { ownEntry } from "./own-entry.ts";
import { readOwnFile } from "./read-own-file.ts";

const MAX_MODULE_BYTES = 16 * 1024 * 1024;
const DEFAULT_MEMORY_MB = 64;
const MAX_MEMORY_MB = 1_024;
/** What the process needs in addition to the module's memory: Node itself, the compiled code, messages in transit. */
const RUNNER_MEMORY_MB = 256;
const MB: number = 1024 * 1024;

/** The addon of a manifest with `[run] wasm`. Rejects with a {@link LoaderError} if the module cannot be used. */
export async function describeWasm(source: AddonSource, manifest: AddonDescriptor): Promise<CodeAddon> {
  const { id, run } = manifest;
  if (run?.kind !== "wasm")
    throw new LoaderError({ kind: "unsupported", path: source.path }, "its manifest has no [run] wasm");
  const memoryMb = run.memoryMb ?? DEFAULT_MEMORY_MB;
  if (memoryMb > MAX_MEMORY_MB)
    throw new LoaderError(
      { kind: "invalid", path: source.path },
      `[run]: "memory-mb" of a WebAssembly module may be at most ${MAX_MEMORY_MB}, got ${memoryMb}`,
    );
  const entry = ownEntry(source.root, run.entry);
  const maxPages = (memoryMb * MB) / WASM_PAGE_BYTES;
  const problem = checkWasm(readOwnFile(entry, MAX_MODULE_BYTES), maxPages);
  if (problem !== undefined) throw new LoaderError({ kind: "invalid", path: entry }, problem);
  return {
    runtime: "wasm",
    source,
    id,
    hasDeclaredId: true,
    ...declaredParts(manifest),
    runs: `the WebAssembly module ${entry}`,
    warnings: [],
    program: async () => wasmProgram(entry, { maxPages, memoryMb }),
  };
}

function wasmProgram(
  entry: string,
  { maxPages, memoryMb }: { readonly maxPages: number; readonly memoryMb: number },
): AddonProgram {
  const runner = runnerFile("wasm-runner");
  return {
    runtime: "wasm",
    argv: [
      process.execPath,
      `--max-old-space-size=${RUNNER_MEMORY_MB}`,
      runner.path,
      entry,
      String(maxPages),
    ],
    cwd: dirname(entry),
    readable: [entry, ...runner.readable, process.execPath],
    isNode: true,
    maxMemoryBytes: (memoryMb + RUNNER_MEMORY_MB) * MB,
  };
}
