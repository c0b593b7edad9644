// Node's permission model: the only barrier of the level "node-permissions", and a second one inside the stronger levels.

import { statSync } from "node:fs";
import { sep } from "node:path";
import type { SandboxSpec } from "./contract.ts";
import { writableParts } from "./writable-parts.ts";

/**
 * The command line with Node's permission flags after argv[0]; unchanged for a program that is not Node. Workers, native
 * addons, WASI, the inspector, foreign functions and the network are never allowed; plain WebAssembly needs no permission.
 */
export function nodePermissions(argv: readonly string[], spec: SandboxSpec): readonly string[] {
  const [node, ...rest] = argv;
  if (!spec.isNode || node === undefined) return argv;
  const writable = writableParts(spec).map(({ path, isFolder }) => place(path, isFolder));
  const reads = [...spec.readable, ...spec.writable].map((path) => ({ path, isFolder: isFolderAt(path) }));
  // `folder/*` covers the folder itself only as long as no other flag names a place in it; named by itself it is covered if it is named
  // before all of them.
  const folders = reads.filter(({ isFolder }) => isFolder).map(({ path }) => place(path, false));
  const readable = [
    ...new Set([...folders.sort(), ...reads.map(({ path, isFolder }) => place(path, isFolder))]),
  ];
  return [
    node,
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    // The warning is meant for whoever sets the flag; it would appear in the output of every such addon.
    ...(spec.mayStartProcesses ? ["--allow-child-process", "--disable-warning=PERM0002"] : []),
    ...rest,
  ];
}

/**
 * Node takes a path literally, or as everything that starts with the text before a `*`. A name containing `*` would open more than
 * itself.
 */
function place(path: string, isFolder: boolean): string {
  if (path.includes("*")) {
    throw new Error(
      `${path}: Node's permission flags do not support a path with "*" in it; rename the folder or file`,
    );
  }
  return isFolder ? `${path.endsWith(sep) ? path : `${path}${sep}`}*` : path;
}

function isFolderAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}
