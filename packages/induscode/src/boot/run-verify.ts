// `indus session verify [id]`: rebuilds every request of a session from its log and compares digests (invariant 1).

import { readEntries } from "../conductor/log.ts";
import { sessionFolder, sessionPath } from "../conductor/sessions.ts";
import { verifyEntries } from "../conductor/verify.ts";
import type { CommandLine } from "./flags.ts";
import { indusHome } from "./home.ts";
import { EXIT_FAULT, EXIT_OK } from "./problem.ts";
import { findSession } from "./session-log.ts";
import { workingDirectory } from "./wire.ts";

export function runVerify({ flags, words }: CommandLine): number {
  const folder = sessionFolder(indusHome(process.env), workingDirectory(flags));
  const id = findSession(folder, words[2]);
  const path = sessionPath(folder, id);
  const { entries, damagedLines } = readEntries(path);
  const { requests, mismatches } = verifyEntries(entries);
  process.stdout.write(
    `${path}\n${entries.length} entries, ${requests} requests, ${damagedLines} damaged lines\n`,
  );
  if (mismatches.length === 0) {
    process.stdout.write("Every request is explained by the entries before it.\n");
    return EXIT_OK;
  }
  process.stdout.write(`Not explained: the requests at entries ${mismatches.join(", ")}.\n`);
  return EXIT_FAULT;
}
