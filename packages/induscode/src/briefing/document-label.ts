import { relative } from "node:path";
import { isInside } from "indusagi/core";

/** The heading of a document: `./…` under the working directory, `~/…` under the home folder, else absolute. One line. */
export function documentLabel(
  path: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): string {
  if (isInside(cwd, path)) return oneLine(`./${relative(cwd, path)}`);
  return oneLine(isInside(home, path) ? `~/${relative(home, path)}` : path);
}

// A folder's name can contain a line break; a heading must not.
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
