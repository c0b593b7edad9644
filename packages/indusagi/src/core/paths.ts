// Resolves a path given by a model or a person, and tells whether one path is inside another. Lexical only: the file backend
// resolves links when it uses the path.

import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { homeFolder } from "./home.ts";
import { pathOfShown } from "./shown-path.ts";

/**
 * The absolute form of `text`: quoted names as in a listing are decoded ({@link pathOfShown}), `~` is `home` (default: the home
 * folder of the process's environment), and the rest is relative to `cwd`. Throws on a NUL byte.
 */
export function resolvePath(cwd: string, text: string, home?: string): string {
  const path = pathOfShown(text);
  if (path.includes("\0"))
    throw new Error(`The path ${JSON.stringify(path)} contains a NUL byte. Remove it.`);
  if (path === "~") return home ?? homeFolder();
  if (path.startsWith("~/") || path.startsWith(`~${sep}`)) return join(home ?? homeFolder(), path.slice(2));
  return resolve(cwd, path);
}

/** True when `path` is `root` or below it. Compares whole segments: `/ws-evil` is not inside `/ws`. */
export function isInside(root: string, path: string): boolean {
  const rel = relative(root, path);
  return rel === "" || (!rel.startsWith(`..${sep}`) && rel !== ".." && !isAbsolute(rel));
}
