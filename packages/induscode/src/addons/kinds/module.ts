// An addon in TypeScript or JavaScript: a file, a package folder, or `[run] module` of a manifest. It runs in a Node
// process driven by our runner.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, extname } from "node:path";
import { describeError } from "indusagi/core";
import { type AddonSource, ENTRY_EXTENSIONS, LoaderError } from "../contract.ts";
import type { AddonProgram, CodeAddon } from "../process/contract.ts";
import { runnerFile } from "../runners/runner-file.ts";
import { readInlineManifest } from "../source/inline-manifest.ts";
import type { AddonDescriptor } from "../source/manifest.ts";
import { compileModule } from "./compile-module.ts";
import { declaredIdIn } from "./declared-id.ts";
import { declaredParts } from "./declared-parts.ts";
import { ownEntry } from "./own-entry.ts";
import { readOwnHead } from "./read-own-file.ts";
import type { LoadCompiler } from "./source-compiler.ts";

const MODULE_MEMORY_MB = 512;
/** A program must declare its id and capabilities within this much of its entry file. */
const HEAD_BYTES: number = 256 * 1024;
const NOT_COMPILED = "-";

interface ModuleLoading {
  /** The product's home folder, for compiled files. */
  readonly home: string;
  readonly compiler: LoadCompiler;
}

/** The addon of an entry file, or of a manifest with `[run] module`. Runs none of it. Rejects with a {@link LoaderError}. */
export async function describeModule(
  source: AddonSource,
  { home, compiler }: ModuleLoading,
  manifest?: AddonDescriptor,
): Promise<CodeAddon> {
  const run = manifest?.run?.kind === "module" ? manifest.run : undefined;
  const root = realPath(source.root);
  const ownPath = (): string => (source.path === source.root ? root : realPath(source.path));
  const entry = run ? ownEntry(root, run.entry) : ownPath();
  if (!ENTRY_EXTENSIONS.includes(extname(entry))) {
    const detail = `a module must end in one of ${ENTRY_EXTENSIONS.join(", ")}; ${basename(entry)} does not`;
    throw new LoaderError({ kind: "unsupported", path: entry }, detail);
  }
  const text = manifest ? "" : readOwnHead(entry, HEAD_BYTES);
  const inline = manifest ? undefined : await readInlineManifest(text, entry);
  // Compiler warnings are added when the process starts; `load-code` copies the list after a first registration.
  const warnings: string[] = [...(inline?.warnings ?? [])];
  return {
    runtime: "module",
    source,
    id: manifest?.id ?? declaredIdIn(text, entry) ?? source.id,
    hasDeclaredId: manifest !== undefined,
    ...declaredParts(manifest ?? inline?.descriptor),
    runs: `the ${/\.[cm]?tsx?$/.test(entry) ? "TypeScript" : "JavaScript"} code of ${entry}`,
    warnings,
    async program() {
      const compiled = await compileModule(root, { home, compiler });
      for (const warning of compiled.warnings) if (!warnings.includes(warning)) warnings.push(warning);
      return moduleProgram({
        entry,
        root,
        compiled: compiled.folder,
        memoryMb: run?.memoryMb ?? MODULE_MEMORY_MB,
      });
    },
  };
}

interface ModuleParts {
  readonly entry: string;
  readonly root: string;
  readonly compiled: string | undefined;
  readonly memoryMb: number;
}

function moduleProgram({ entry, root, compiled, memoryMb }: ModuleParts): AddonProgram {
  const runner = runnerFile("module-runner");
  return {
    runtime: "module",
    argv: [
      process.execPath,
      // Limits the heap only; the sandbox limits the memory of the whole process.
      `--max-old-space-size=${memoryMb}`,
      runner.path,
      entry,
      root,
      compiled ?? NOT_COMPILED,
    ],
    cwd: statSync(root).isDirectory() ? root : dirname(root),
    readable: [root, ...(compiled === undefined ? [] : [compiled]), ...runner.readable, process.execPath].map(
      realPath,
    ),
    isNode: true,
    maxMemoryBytes: memoryMb * 1024 * 1024,
  };
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be found: ${describeError(cause)}`, { cause });
  }
}
