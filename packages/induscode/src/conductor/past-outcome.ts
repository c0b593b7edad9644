// One outcome of a session, from its log: nothing that left the model's view is kept anywhere else.

import type { Entry } from "./contract.ts";
import { scanEntries } from "./log-reader.ts";

/** What the call brought whose outcome is the entry `n`; undefined where that is none. Throws what the file system throws. */
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
