// The logs that can tell of a file: those of sessions in a folder around it, or elsewhere in the same repository.

import { readSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isInside, withRegularFile } from "indusagi/core";
import { readSessionFacts } from "../../conductor/session-facts.ts";
import {
  delegateFolder,
  foldersBelow,
  sessionFolder,
  sessionNames,
  sessionPath,
  trashOf,
} from "../../conductor/sessions.ts";
import type { BlamedLog } from "./log-steps.ts";

/** Of all logs together, the newest first. */
const MAX_BYTES: number = 4 * 1024 ** 3;
const PIECE_BYTES = 1024 * 1024;

export interface BlamedLogs {
  /** Oldest first. */
  readonly logs: readonly BlamedLog[];
  /** Their session folders, in which checkpoints are kept under the same names. */
  readonly folders: readonly string[];
  /** How many older ones are left out because all together are too long. */
  readonly left: number;
}

/** `root`: a session that worked anywhere in it counts. */
export function blamedLogs(home: string, root: string): BlamedLogs {
  const all = dirname(sessionFolder(home, root));
  const folders = foldersBelow(all).filter((folder) => {
    if (folder === sessionFolder(home, root)) return true;
    const [id] = sessionNames(folder);
    const { folder: cwd } = readSessionFacts(sessionPath(folder, id ?? ""));
    return cwd !== "" && (isInside(root, cwd) || isInside(cwd, root));
  });
  const found = folders.flatMap((folder) =>
    [folder, trashOf(folder), delegateFolder(folder)].flatMap((place) =>
      sessionNames(place).map((id) => ({
        path: sessionPath(place, id),
        isDelegate: place === delegateFolder(folder),
      })),
    ),
  );
  const newest = found.toSorted((a, b) => (basename(a.path) < basename(b.path) ? 1 : -1));
  let bytes = 0;
  const logs = newest.filter(({ path }) => {
    bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return bytes <= MAX_BYTES;
  });
  return { logs: logs.toReversed(), folders, left: newest.length - logs.length };
}

/** Whether a log contains this name. Reads it in pieces; throws what the file system throws. */
export function mentions(path: string, name: string): boolean {
  const wanted = Buffer.from(JSON.stringify(name).slice(1, -1));
  return withRegularFile(path, { followsLinks: true }, (file) => {
    const piece = Buffer.allocUnsafe(PIECE_BYTES + wanted.length);
    let kept = 0;
    for (;;) {
      const got = readSync(file, piece, kept, PIECE_BYTES, null);
      if (got === 0) return false;
      const held = piece.subarray(0, kept + got);
      if (held.includes(wanted)) return true;
      kept = Math.min(wanted.length - 1, held.length);
      held.copyWithin(0, held.length - kept);
    }
  });
}
