// What commands change of the shell that runs them: its variables and its folder.

import { forEachChild, type SyntaxNode } from "unbash";

/** Commands that set variables by names that do not look like assignments, or change how the next lines are read. */
export const SETTERS: ReadonlySet<string> = new Set([
  ...[
    "read",
    "export",
    "readonly",
    "declare",
    "typeset",
    "local",
    "unset",
    "mapfile",
    "readarray",
    "getopts",
  ],
  ...["eval", "source", ".", "set", "shift", "printf", "let", "alias", "unalias", "trap", "wait", "builtin"],
]);
export const MOVERS: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "chdir"]);
/** Below that anything may change. */
const MAX_DEPTH = 160;

export interface Changed {
  readonly names: ReadonlySet<string>;
  /** It may set any variable. */
  readonly isOpen: boolean;
  readonly moves: boolean;
}

/** What the commands below a node set. */
export function changedBy(node: SyntaxNode): Changed {
  const names = new Set<string>();
  let isOpen = false;
  let moves = false;
  let depth = 0;
  const look = (child: SyntaxNode): void => {
    if (child.type === "Assignment") names.add(child.name);
    if (child.type === "For") names.add(child.name.value);
    if (child.type === "Function") isOpen = true;
    if (child.type === "Command" && child.name) {
      const { value, parts } = child.name;
      if (parts !== undefined || SETTERS.has(value)) isOpen = true;
      if (parts !== undefined || MOVERS.has(value) || value === "eval" || value === "." || value === "source")
        moves = true;
    }
    if (++depth <= MAX_DEPTH) forEachChild(child, look);
    else isOpen = moves = true;
    depth--;
  };
  forEachChild(node, look);
  return { names, isOpen, moves };
}
