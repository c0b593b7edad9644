import { existsSync } from "node:fs";
import type { Conductor, Entry } from "../../conductor/contract.ts";
import { readEntries } from "../../conductor/log-reader.ts";

/** What the log of a session holds; nothing before its first line. */
export function loggedEntries({ status }: Pick<Conductor, "status">): readonly Entry[] {
  const { logPath } = status();
  return existsSync(logPath) ? readEntries(logPath).entries : [];
}
