// Where a server may not write, in words for whoever reads its error: the system says only that a place is read-only.

import { dirname } from "node:path";
import { isInside } from "indusagi/core";
import type { McpFacts } from "./mcp-connection.ts";

type WritePlaces = Pick<McpFacts, "cwd" | "roots" | "writes">;

/** Of an error; the rest of a long text is data. */
const MAX_LOOKED = 8_000;
/** Node reports `mkdir` below a read-only folder, with `recursive`, as ENOENT. */
const REFUSED =
  /\bE(?:ROFS|ACCES|PERM)\b|read-only file system|permission denied|\bENOENT\b[^\n]{0,200}\bmkdir\b/i;
const PATHS = /'(\/[^'\n]{1,4096})'|"(\/[^"\n]{1,4096})"|(\/[^\s'"]{1,4096})/g;

/** One line about a server's words that say it could not write; undefined if they do not, or if it was somewhere else. */
export function placeAdvice(words: string, { cwd, roots, writes }: WritePlaces): string | undefined {
  const refusals = words
    .slice(0, MAX_LOOKED)
    .split("\n")
    .filter((line) => REFUSED.test(line));
  const paths = [...refusals.join("\n").matchAll(PATHS)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
  if (paths.some((path) => isInside(cwd, path)))
    return `[The server cannot write into its package's own folder; what it keeps belongs into \${HOME}, its only home here. If a variable says where: indus remove it, and indus add it with --env NAME='\${HOME}/FILE']`;
  const inRoots = paths.filter((path) => roots.some((root) => isInside(root, path)));
  if (inRoots.length === 0) return undefined;
  if (!writes) return "[The server was granted to read the workspace, not to write in it: --files write]";
  if (inRoots.some((path) => roots.includes(dirname(path))))
    return "[Directly in the workspace's top folder, a server can make, rename and remove only while one of its tools runs, and only with bubblewrap and Perl; otherwise it can change what exists. What takes effect by itself it cannot change. In subfolders that were there when it started it can make anything else]";
  return undefined;
}
