// An addon in Python: a `.py` file, a folder with `__init__.py`, or `[run] python` of a manifest. It runs in a
// Python process driven by our runner; the author's API is the package `induscode.addons`.

import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute } from "node:path";
import { promisify } from "node:util";
import { describeError } from "indusagi/core";
import { type AddonSource, LoaderError } from "../contract.ts";
import type { AddonProgram, CodeAddon } from "../process/contract.ts";
import { readInlineManifest } from "../source/inline-manifest.ts";
import type { AddonDescriptor } from "../source/manifest.ts";
import { declaredIdIn } from "./declared-id.ts";
import { declaredParts } from "./declared-parts.ts";
import { findProgram } from "./find-program.ts";
import { ownEntry } from "./own-entry.ts";
import { pythonKit } from "./python-kit.ts";
import { readOwnFile } from "./read-own-file.ts";

const PYTHON_MEMORY_MB = 512;
const MAX_SOURCE_BYTES = 1024 * 1024;
/** How long an interpreter may take to identify itself, in milliseconds. */
const PROBE_MS = 30_000;
/** The oldest version that the author's kit runs on. */
const MIN_PYTHON = [3, 9] as const;

/** The addon of an entry file, or of a manifest with `[run] python`. Runs none of it. */
export async function describePython(source: AddonSource, manifest?: AddonDescriptor): Promise<CodeAddon> {
  const run = manifest?.run?.kind === "python" ? manifest.run : undefined;
  const entry = run ? ownEntry(source.root, run.entry) : source.path;
  const text = manifest ? "" : readOwnFile(entry, MAX_SOURCE_BYTES).toString("utf8");
  const inline = manifest ? undefined : await readInlineManifest(text, entry);
  return {
    runtime: "python",
    source,
    id: manifest?.id ?? declaredIdIn(text, entry) ?? source.id,
    hasDeclaredId: manifest !== undefined,
    ...declaredParts(manifest ?? inline?.descriptor),
    runs: `the Python code of ${entry}`,
    warnings: inline?.warnings ?? [],
    program: async () => pythonProgram(source, entry, run?.memoryMb ?? PYTHON_MEMORY_MB),
  };
}

async function pythonProgram({ root }: AddonSource, entry: string, memoryMb: number): Promise<AddonProgram> {
  const { executable, prefixes } = await findPython(root);
  const kit = pythonKit();
  const start = `import sys; sys.path.insert(0, ${JSON.stringify(kit)}); from induscode.addons.runner import main; main()`;
  return {
    runtime: "python",
    // Isolated from the person's site packages and PYTHON* variables; no byte code is written next to the source, which
    // would change what was trusted.
    argv: [executable, "-I", "-B", "-X", "utf8", "-c", start, entry],
    cwd: dirname(entry),
    readable: [...new Set([root, kit, ...prefixes])],
    isNode: false,
    maxMemoryBytes: memoryMb * 1024 * 1024,
  };
}

interface Python {
  readonly executable: string;
  /** The folders of its library. */
  readonly prefixes: readonly string[];
}

// Cached for the whole process: the interpreter does not change while it runs.
let found: Promise<Python> | undefined;

function findPython(path: string): Promise<Python> {
  found ??= probePython().catch((cause: unknown) => {
    found = undefined;
    const detail = `it needs Python ${MIN_PYTHON.join(".")} or later as python3 on the PATH: ${describeError(cause)}`;
    throw new LoaderError({ kind: "unsupported", path }, detail, { cause });
  });
  return found;
}

/** Imports nothing that an interpreter does not load anyway: loading `json` takes half as long as the start itself. */
const PROBE =
  "import os, sys; what = [*map(str, sys.version_info[:2]), sys.executable, sys.base_prefix, sys.base_exec_prefix]; " +
  "sys.stdout.buffer.write(os.fsencode('\\0'.join(what)))";

/** What `python3` really is: the name may be a script that looks for an interpreter. */
async function probePython(): Promise<Python> {
  const path = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
  const python = findProgram("python3", path);
  if (python === undefined) throw new Error("none found");
  const { stdout } = await promisify(execFile)(python, ["-I", "-c", PROBE], {
    cwd: "/",
    timeout: PROBE_MS,
  }).catch((error: { readonly killed?: boolean }) => {
    throw error.killed === true ? new Error(`${python} did not answer within ${PROBE_MS / 1_000} s`) : error;
  });
  const [major = "", minor = "", executable = "", ...prefixes] = stdout.split("\0");
  if (Number(major) !== MIN_PYTHON[0] || Number(minor) < MIN_PYTHON[1])
    throw new Error(`${python} is Python ${major}.${minor}`);
  return {
    executable: realpathSync(executable),
    prefixes: [...new Set(prefixes.map((each) => realpathSync(each)))],
  };
}
