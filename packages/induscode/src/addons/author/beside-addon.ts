// The files that a test of an addon goes by: in its folder, or next to the one file that it is.

import { lstatSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

interface BesideAddon {
  readonly cassette: string;
  readonly expectations: string;
  /** A folder whose copy is the workspace of the test; only a folder can hold one. */
  readonly workspace?: string;
}

/** Where they would lie; nothing says that they do. */
export function besideAddon(root: string): BesideAddon {
  if (lstatSync(root).isDirectory())
    return {
      cassette: join(root, "cassette.jsonl"),
      expectations: join(root, "expect.toml"),
      workspace: join(root, "workspace"),
    };
  const name = basename(root, extname(root));
  return {
    cassette: join(dirname(root), `${name}.cassette.jsonl`),
    expectations: join(dirname(root), `${name}.expect.toml`),
  };
}
