// Where session logs lie: under the home folder, one folder for each working directory.

import { createHash, randomInt } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, nowMs } from "indusagi/core";

const SUFFIX = ".jsonl";

/** The folder of the sessions of one working directory: readable, and unlike any other directory's. */
export function sessionFolder(home: string, cwd: string): string {
  const readable = cwd
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(-48);
  const digest = createHash("sha256").update(cwd).digest("hex").slice(0, 8);
  return join(home, "sessions", `${readable || "root"}-${digest}`);
}

/** A new session id: when it began (UTC, to the millisecond) and enough chance to be unique. Sorts by time. */
export function createSessionId(): string {
  const stamp = new Date(nowMs())
    .toISOString()
    .replace(/[-:.Z]/g, "")
    .replace("T", "-");
  return `${stamp}-${randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}

/** Where the logs of delegates lie: beside the sessions that they worked for, and never continued as one. */
export function delegateFolder(folder: string): string {
  return join(folder, "delegates");
}

export function sessionPath(folder: string, id: string): string {
  return join(folder, id + SUFFIX);
}

/** Ids of the sessions in a folder, the one written last first. A missing folder has none, nor has a file in its place. */
export function listSessions(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => ({
      id: name.slice(0, -SUFFIX.length),
      writtenMs: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0, // it may go meanwhile
    }))
    .sort((a, b) => b.writtenMs - a.writtenMs || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}
