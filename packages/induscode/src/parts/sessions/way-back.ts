// How to come back to a session: told when a person leaves it.

import { basename } from "node:path";
import { readSessionFacts } from "../../conductor/session-facts.ts";
import { printableLine } from "../../console/printable-line.ts";

const MAX_TITLE = 80;

/** In a line; undefined if nothing was said in it, since it then left no log. */
export function wayBack(logPath: string): string | undefined {
  const { title, state } = readSessionFacts(logPath);
  if (state === "unreadable") return undefined;
  const named = title === "" ? "this session" : `"${printableLine(title, MAX_TITLE)}"`;
  return `To come back to ${named}: indus -r ${basename(logPath, ".jsonl")}`;
}
