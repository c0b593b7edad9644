// A command failed at a place outside of the working directory that it names, which the sandbox does not show it or does not let it change:
// what to do then, in one line.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { ShellExecResult } from "indusagi/capabilities";
import { isInside } from "indusagi/core";

/** What programs print about a place that is not there. */
const MISSING = /no such file|\bENOENT\b|cannot find|can't (?:open|find)|not found|does not exist/i;
/** What they print about one that they must not read or change. */
const REFUSED = /read-only file ?system|permission denied|\b(?:EROFS|EACCES)\b/i;
const BETWEEN = /[\s'"`:,()[\]]/;
/** Of an output, in characters; of a line, in paths. */
const MAX_CHARS = 20_000;
const MAX_PATHS = 8;

interface OutsideFacts {
  readonly cwd: string;
  /** The working directory of the session, as a real path. */
  readonly root: string;
  /** Whether an answer can let commands read, or change, the folder at a real path, and none does yet. */
  readonly isOffered: (folder: string, isWritable: boolean) => boolean;
}

/** Undefined if that is not why. Only of what the command names: that it exists is told of nothing else. */
export function outsideHint(
  command: string,
  { code, stdout, stderr }: Pick<ShellExecResult, "code" | "stdout" | "stderr">,
  { cwd, root, isOffered }: OutsideFacts,
): string | undefined {
  if (code === 0) return undefined;
  const lines = `${stderr}\n${stdout}`.slice(0, MAX_CHARS).split("\n");
  return hintOf(MISSING, missing) ?? hintOf(REFUSED, refused);

  /** By the first place of a line with such words about which there is something to say. */
  function hintOf(words: RegExp, hint: (path: string) => string | undefined): string | undefined {
    for (const line of lines.filter((each) => words.test(each)))
      for (const path of line.split(BETWEEN).filter(isPath).slice(0, MAX_PATHS)) {
        if (!command.includes(path) && !command.includes(basename(path))) continue;
        const said = hint(path);
        if (said !== undefined) return said;
      }
    return undefined;
  }

  function missing(path: string): string | undefined {
    const place = resolve(cwd, path);
    const folder = folderAt(place) ?? folderAt(dirname(place));
    if (folder === undefined || isInside(root, folder) || !isOffered(folder, false)) return undefined;
    const changing = isOffered(folder, true) ? "read that folder, or change it," : "read that folder,";
    return (
      `sandbox: commands do not see ${folder}, and this may be why it failed. If it is needed, call again with "outside" and say ` +
      `why: the person can let commands ${changing} for this command, this session or in this working directory.`
    );
  }

  function refused(path: string): string | undefined {
    const place = realParent(resolve(cwd, path));
    if (place === undefined || isInside(root, place)) return undefined;
    const what =
      `sandbox: ${path} is outside of the working directory, where commands change nothing that no answer allows and do not read ` +
      'everything, and this may be why it failed. If it is needed, call again with "outside" and say why';
    return isOffered(place, true)
      ? `${what}: if the command line shows that it writes there, the person can let commands change ${place}, for this command, this session or in this working directory.`
      : `${what}; the person may be asked.`;
  }
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

/** The folder at a place, or the nearest one above it that exists. */
function realParent(path: string): string | undefined {
  for (let place = path; ; place = dirname(place)) {
    const folder = folderAt(place);
    if (folder !== undefined || place === dirname(place)) return folder;
  }
}
