// A fork: a session of its own that begins with another's entries. It holds copies of them,
// so that either session can continue, be renamed or be removed without the other.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { nowMs } from "indusagi/core";
import { makeFolder } from "../store/make-folder.ts";
import { branchOf, saidText } from "./branch.ts";
import type { Entry } from "./contract.ts";
import { LogError, type NewLogFacts, type OpenedLog, openLog } from "./log.ts";
import type { FoldWish } from "./read-folded.ts";

/**
 * Writes the log of `to` with the entries of the session `parent`, and opens it. The caller has read the parent's log, which is not
 * touched. Throws {@link LogError}.
 */
export function forkLog(
  entries: readonly Entry[],
  parent: string,
  to: NewLogFacts,
  begin?: FoldWish["begin"],
): OpenedLog {
  const { path, id, cwd, version } = to;
  const [first] = entries;
  const last = entries.at(-1);
  if (!first || !last) throw new LogError(`The session ${parent} has nothing to fork yet`);
  const n = first.type === "session" ? first.n : 0;
  const head: Entry = {
    n,
    at: nowMs(),
    type: "session",
    v: 1,
    id,
    cwd,
    version,
    parent: { session: parent, entry: last.n },
  };
  const rest = first.type === "session" ? entries.slice(1) : entries;
  const draft = `${path}.draft`;
  try {
    makeFolder(dirname(path));
    writeEntries(draft, [head, ...rest]);
    renameSync(draft, path); // a partial copy never becomes a session
  } catch (error) {
    rmSync(draft, { force: true });
    throw new LogError(`The session ${parent} cannot be forked: ${(error as Error).message}`);
  }
  return openLog(path, begin);
}

const PIECE_CHARS = 1024 * 1024;

/** Written in pieces, so that a long log is never in memory at once. */
function writeEntries(path: string, entries: readonly Entry[]): void {
  const file = openSync(path, "wx", 0o600);
  try {
    let piece = "";
    for (const [at, entry] of entries.entries()) {
      piece += `${JSON.stringify(entry)}\n`;
      if (piece.length < PIECE_CHARS && at < entries.length - 1) continue;
      writeFileSync(file, piece);
      piece = "";
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * The entries of a fork that continues before the person's `back`th line from the end, and what they said there; undefined if they
 * said fewer lines. 0: all entries. A session with branches keeps all of them.
 */
export function entriesBefore(
  entries: readonly Entry[],
  back: number,
): { readonly kept: readonly Entry[]; readonly left: string } | undefined {
  if (back === 0) return { kept: entries, left: "" };
  if (!Number.isSafeInteger(back) || back < 0) return undefined; // a program's, which nobody compiled
  const branch = branchOf(entries);
  const lines = branch.flatMap((entry, at) => (entry.type === "user" && entry.via === "submit" ? at : []));
  const at = lines.at(-back) ?? 0;
  const line = branch[at];
  if (line?.type !== "user" || lines.length < back) return undefined;
  const left = saidText(line);
  if (branch === entries) return { kept: entries.slice(0, at), left };
  const n = (entries.at(-1)?.n ?? 0) + 1;
  return { kept: [...entries, { n, at: nowMs(), type: "jump", to: branch[at - 1]?.n ?? 0 }], left };
}
