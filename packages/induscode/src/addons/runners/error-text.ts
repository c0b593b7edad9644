// Turns untrusted code's errors into text. An error may be anything, so nothing here trusts it.

import { fileURLToPath } from "node:url";

const MAX_CHARACTERS = 4_000;

/** An error's message, bounded. Never throws. */
export function errorText(error: unknown): string {
  try {
    if (error instanceof Error) return bounded(String(error.message || error.name));
    return typeof error === "string" ? bounded(error) : `a thrown ${error === null ? "null" : typeof error}`;
  } catch {
    return "an error that cannot be described";
  }
}

/**
 * An error's message and the addon's line where it was thrown, `no such key (redact.ts, line 12)`, in the same form as the
 * Python kit's; `root` is the addon's file or folder. Never throws.
 */
export function failureText(error: unknown, root: string): string {
  const place = placeOf(stackOf(error) ?? "", root);
  return place === undefined ? errorText(error) : `${errorText(error)} (${place})`;
}

/** The innermost line of a stack that is the addon's own. */
function placeOf(stack: string, root: string): string | undefined {
  for (const line of stack.split("\n")) {
    const [, at = "", row = ""] = /(?:\(|at (?:async )?)((?:file:\/\/)?\/.*):(\d+):\d+\)?$/.exec(line) ?? [];
    const path = at.startsWith("file:") ? pathOf(at) : at;
    if (path === root) return `${path.slice(path.lastIndexOf("/") + 1)}, line ${row}`;
    if (path.startsWith(`${root}/`)) return `${path.slice(root.length + 1)}, line ${row}`;
  }
  return undefined;
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return ""; // a stack is a text that anyone may have written
  }
}

/** Where it was thrown, bounded; undefined if it does not say. Never throws. */
export function stackOf(error: unknown): string | undefined {
  try {
    const stack = error instanceof Error ? error.stack : undefined;
    return typeof stack === "string" ? bounded(stack) : undefined;
  } catch {
    return undefined;
  }
}

function bounded(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)} …`;
}
