// Node's permission model: the only fence of the level "node-permissions", and a second one inside the stronger levels.

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
  const readable = [...spec.readable, ...spec.writable].map((path) => place(path, isFolderAt(path)));
  return [
    node,
    "--permission",
    ...[...readable, ...writable].map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(spec.mayStartProcesses ? ["--allow-child-process"] : []),
    ...rest,
  ];
}

/** Node takes a path as it is, or with `*` at its end for all that begins with it. */
function place(path: string, isFolder: boolean): string {
  return isFolder ? `${path.endsWith(sep) ? path : `${path}${sep}`}*` : path;
}

function isFolderAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}
