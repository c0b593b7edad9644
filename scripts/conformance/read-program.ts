// Which program a person means: a folder with a manifest, or a command line.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readBoundedFile } from "indusagi/core";
import { LoaderError, MANIFEST_FILENAME } from "../../packages/induscode/src/addons/contract.ts";
import { processProgram } from "../../packages/induscode/src/addons/kinds/process.ts";
import {
  decodeManifest,
  MAX_MANIFEST_BYTES,
  parseManifest,
} from "../../packages/induscode/src/addons/source/manifest.ts";
import type { ProgramUnderTest } from "./contract.ts";

/** The program that `[run] command` of the folder's manifest names. Rejects with a {@link LoaderError}. */
export async function readProgram(folder: string): Promise<ProgramUnderTest> {
  const root = resolve(folder);
  const path = join(root, MANIFEST_FILENAME);
  if (!existsSync(path))
    throw new LoaderError(
      { kind: "io", path },
      "there is no manifest; name a folder that has one, or give -- COMMAND ARGS",
    );
  const { descriptor } = await parseManifest(
    decodeManifest(readBoundedFile(path, MAX_MANIFEST_BYTES), path),
    path,
  );
  const { run } = descriptor;
  if (run?.kind !== "process")
    throw new LoaderError(
      { kind: "unsupported", path },
      `the suite tests programs that speak the protocol themselves: expected [run] command, found ${
        run === undefined ? "no [run]" : `[run] ${run.kind}`
      }`,
    );
  // As a session finds it: what the suite takes from a manifest, the product starts.
  const { argv, cwd } = processProgram(root, run);
  return { argv, cwd };
}
