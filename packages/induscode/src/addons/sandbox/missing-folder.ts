// A command failed because the sandbox does not show it a folder that it names: what to do then, in one line.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { ShellExecResult } from "indusagi/capabilities";
import { isInside } from "indusagi/core";

/** What programs print about a place that is not there. */
const MISSING = /no such file|\bENOENT\b|cannot find|can't (?:open|find)|not found|does not exist/i;
const BETWEEN = /[\s'"`:,()[\]]/;
/** Of an output, in characters; of a line, in paths. */
const MAX_CHARS = 20_000;
const MAX_PATHS = 8;

interface MissingFacts {
  readonly cwd: string;
  /** The working directory of the session, as a real path. */
  readonly root: string;
  /** Whether an answer can let commands read the folder at a real path, which they do not see yet. */
  readonly isOffered: (folder: string) => boolean;
}

/** Undefined if that is not why. Only of what the command names: that it exists is told of nothing else. */
export function missingFolder(
  command: string,
  { code, stdout, stderr }: Pick<ShellExecResult, "code" | "stdout" | "stderr">,
  { cwd, root, isOffered }: MissingFacts,
): string | undefined {
  if (code === 0) return undefined;
  const lines = `${stderr}\n${stdout}`.slice(0, MAX_CHARS).split("\n");
  for (const line of lines.filter((each) => MISSING.test(each)))
    for (const path of line.split(BETWEEN).filter(isPath).slice(0, MAX_PATHS)) {
      if (!command.includes(path) && !command.includes(basename(path))) continue;
      const folder = folderAt(resolve(cwd, path));
      if (folder === undefined || isInside(root, folder) || !isOffered(folder)) continue;
      return (
        `sandbox: commands do not see ${folder}, and this may be why it failed. If it is needed, call again with "outside" and say ` +
        "why: the person can let commands read that folder, for this command, this session or in this working directory."
      );
    }
  return undefined;
}

function isPath(word: string): boolean {
  return word.includes("/") || word === "..";
}

function folderAt(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : dirname(real);
  } catch {
    return undefined; // it really is not there
  }
}
