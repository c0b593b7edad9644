// One outcome of a session, read from its log: what left the model's view is kept nowhere else.

import type { Entry } from "./contract.ts";
import { scanEntries } from "./log-reader.ts";

/** The tool entry `n`; undefined if that entry is not an outcome. Throws what the file system throws. */
export function pastOutcome(path: string, n: number): Extract<Entry, { type: "tool" }> | undefined {
  let found: Extract<Entry, { type: "tool" }> | undefined;
  const beginning = `{"n":${n},`;
  scanEntries(
    path,
    (entry) => {
      if (entry.type === "tool" && entry.n === n) found = entry;
    },
    (line) => !line.startsWith(beginning),
  );
  return found;
}
