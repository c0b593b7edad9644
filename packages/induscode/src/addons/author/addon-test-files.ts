// The files that a test of an addon uses: inside its folder, or next to it if the addon is a single file.

import { lstatSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

interface AddonTestFiles {
  readonly cassette: string;
  readonly expectations: string;
  /** A folder that is copied to be the test's workspace; only an addon that is a folder can have one. */
  readonly workspace?: string;
}

/** The paths where they would be; they need not exist. */
export function addonTestFiles(root: string): AddonTestFiles {
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
