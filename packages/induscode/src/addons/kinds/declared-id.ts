// The id that a source text declares, read without running it: a guess that its registration confirms or corrects. It lets
// a person refer to an addon by its declared id before it has run.

import { extname } from "node:path";
import { type AddonId, addonId, PYTHON_EXTENSION } from "../contract.ts";
import { isAddonId } from "../source/manifest.ts";

const SCRIPT =
  /^export[ \t]+(?:const|let|var)[ \t]+id[ \t]*(?::[ \t]*string[ \t]*)?=[ \t]*(["'`])([^"'`\n]*)\1/m;
const PYTHON = /^id[ \t]*(?::[ \t]*str[ \t]*)?=[ \t]*(["'])([^"'\n]*)\1/m;

/** The id in `export const id = "notes"`, or in Python's `id = "notes"`; undefined without such a plain declaration. */
export function declaredIdIn(text: string, path: string): AddonId | undefined {
  const found = (extname(path) === PYTHON_EXTENSION ? PYTHON : SCRIPT).exec(text)?.[2];
  return found !== undefined && isAddonId(found) ? addonId(found) : undefined;
}
