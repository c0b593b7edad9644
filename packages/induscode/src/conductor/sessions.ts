// Where session logs lie: under the home folder, one folder for each working directory.

import { createHash, randomInt } from "node:crypto";
import { readdirSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, nowMs, withRegularFile } from "indusagi/core";
import { homePath } from "../store/home-files.ts";

const SUFFIX = ".jsonl";

/** The folder of the sessions of one working directory: readable, and unlike any other directory's. */
export function sessionFolder(home: string, cwd: string): string {
  const readable = cwd
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(-48);
  const digest = createHash("sha256").update(cwd).digest("hex").slice(0, 8);
  return dirname(homePath(home, "session", `${readable || "root"}-${digest}`));
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

/** Where the logs of delegates lie: next to the sessions that they worked for, and never continued as one. */
export function delegateFolder(folder: string): string {
  return join(folder, "delegates");
}

export function sessionPath(folder: string, id: string): string {
  return join(folder, id + SUFFIX);
}

/**
 * Ids of the sessions in a folder, the one written last first: by what the logs say, since a copy or a `touch` changes
 * the file's own time. A missing folder has none, nor has a file in its place.
 */
export function listSessions(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  }
  const byFile = names
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => ({
      id: name.slice(0, -SUFFIX.length),
      writtenMs: writtenAt(join(folder, name)),
    }))
    .sort(lastFirst);
  const asked = byFile
    .slice(0, MAX_ASKED)
    .map(({ id, writtenMs }) => ({ id, writtenMs: lastEntryAt(join(folder, id + SUFFIX)) ?? writtenMs }))
    .sort(lastFirst);
  return [...asked, ...byFile.slice(MAX_ASKED)].map(({ id }) => id);
}

/** 0 for one that went meanwhile, or that cannot be looked at: whoever reads it says so, and takes the next. */
function writtenAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

// A folder with more sessions than these has had its newest one among them for a long time.
const MAX_ASKED = 200;

interface Written {
  readonly id: string;
  readonly writtenMs: number;
}

function lastFirst(a: Written, b: Written): number {
  return b.writtenMs - a.writtenMs || (a.id < b.id ? 1 : -1);
}

const TAIL_BYTES: readonly number[] = [4 * 1024, 256 * 1024];
const ENTRY_BEGINNING = /^\{"n":\d+,"at":(\d{1,16}),(?:"type":"(\w+)")?/;

/** When the last entry of a log was written, by its own word; undefined where its end does not say. */
function lastEntryAt(path: string): number | undefined {
  try {
    return withRegularFile(path, { followsLinks: true }, (file, size) => {
      for (const length of TAIL_BYTES) {
        const tail = Buffer.alloc(Math.min(length, size));
        readSync(file, tail, 0, tail.length, size - tail.length);
        for (const line of tail.toString("utf8").split("\n").reverse()) {
          const [, at, type] = ENTRY_BEGINNING.exec(line) ?? [];
          if (at !== undefined && type !== "title") return Number(at); // a name does not make it newer
        }
      }
      return undefined;
    });
  } catch {
    return undefined; // whoever opens it is told why it cannot be read
  }
}
