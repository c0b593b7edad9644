// Names of files that act by themselves later: at the next start, git command or shell (CVE-2026-25725 and its class). One
// table (`acting-names`) for both guards: an agent's edit of one needs a confirmation even where edits are allowed, and addons never write
// them. A test checks names that the product itself loads against the loaders.

import { isInside, trimEndOf } from "indusagi/core";
import { ACTING_PARTS, INSTRUCTIONS, TOOLS } from "./acting-names.ts";

/** What a file with this name is; completes "which …". */
export type Acts = "agents read as instructions" | "configures tools that run automatically";

/** A folder with its own HEAD can become a repository that git obeys. Only for files: folders use that name, too. */
const FILES_ONLY: readonly string[] = ["HEAD"];

/** Every name in the table, in its usual spelling. */
export const PROTECTED_NAMES: readonly string[] = [
  ...[...INSTRUCTIONS, ...TOOLS].flatMap(({ names }) => names),
  ...FILES_ONLY,
];

const BY_FOLDED: ReadonlyMap<string, Acts> = new Map([
  ...TOOLS.flatMap(({ names }) => names).map(
    (name) => [fold(name), "configures tools that run automatically"] as const,
  ),
  ...INSTRUCTIONS.flatMap(({ names }) => names).map(
    (name) => [fold(name), "agents read as instructions"] as const,
  ),
]);
const FOLDED_FILES: ReadonlySet<string> = new Set(FILES_ONLY.map(fold));
const PROTECTED_ENDINGS: readonly string[] = [".code-workspace"];

/** Why a path below `root`, at any depth, is protected, in any spelling a file system may accept; undefined for others. */
export function protectedBelow(root: string, path: string): Acts | undefined {
  const segments = path.slice(root.length).split("/");
  const acts = segments.map((segment, index) => protectedName(segment, index < segments.length - 1));
  return acts.find((each) => each === "configures tools that run automatically") ?? acts.find(Boolean);
}

/** The same for a file that was reached by the path that was written: through a link, it acts under that name as well. */
export function protectedAs(root: string, realPath: string, written: string): Acts | undefined {
  return (
    protectedBelow(root, realPath) ?? (isInside(root, written) ? protectedBelow(root, written) : undefined)
  );
}

/** The same for one name in a folder. */
export function protectedName(name: string, isFolder: boolean): Acts | undefined {
  const folded = fold(name);
  const isTool =
    !isFolder && (FOLDED_FILES.has(folded) || PROTECTED_ENDINGS.some((ending) => folded.endsWith(ending)));
  return isTool ? "configures tools that run automatically" : BY_FOLDED.get(folded);
}

/** Of a folder with this name, the parts that act; undefined where everything in it does, or nothing. */
export function actingParts(name: string): readonly string[] | undefined {
  return PARTS_BY_FOLDED.get(fold(name));
}

const PARTS_BY_FOLDED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(ACTING_PARTS).map(([name, parts]) => [fold(name), parts]),
);

// A case-insensitive volume, invisible characters (CVE-2014-9390) or trailing dots and blanks must not open a way around.
// All names in the table are ASCII, so nothing else needs folding.
function fold(name: string): string {
  const lower = name.toLowerCase().replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "");
  return trimEndOf(lower, (character) => character === "." || character === " ");
}
