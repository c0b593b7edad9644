// The location of session logs: under the home folder, one folder for each working directory.

import { createHash, randomInt } from "node:crypto";
import { existsSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, isoNow, nowMs, readBoundedFile, withRegularFile } from "indusagi/core";
import { HOME_FILES, homePath } from "../store/home-files.ts";

const SUFFIX = ".jsonl";

/** The session folder of one working directory: readable and unique. */
export function sessionFolder(home: string, cwd: string): string {
  const readable = cwd
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(-48);
  const digest = createHash("sha256").update(cwd).digest("hex").slice(0, 8);
  return dirname(homePath(home, "session", `${readable || "root"}-${digest}`));
}

/** A new session id: when it began (UTC, to the millisecond) and enough randomness to be unique. Sorts by time. */
export function createSessionId(): string {
  const stamp = isoNow()
    .replace(/[-:.Z]/g, "")
    .replace("T", "-");
  return `${stamp}-${randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}

/** The location of delegates' logs: next to the sessions they worked for, and never resumed as sessions. */
export function delegateFolder(folder: string): string {
  return join(folder, "delegates");
}

/** Where its sessions are until they are restored or deleted. */
export function trashOf(folder: string): string {
  return join(folder, "trash");
}

export function sessionPath(folder: string, id: string): string {
  return join(folder, id + SUFFIX);
}

/**
 * Ids of the sessions in a folder, most recently written first: judged by the logs' contents, since a copy or a `touch` changes the
 * file's own time. A missing folder has none, nor does a file in its place.
 */
export function listSessions(folder: string): readonly string[] {
  const byFile = sessionNames(folder)
    .map((id) => ({ id, writtenMs: writtenAt(sessionPath(folder, id)) }))
    .sort(lastFirst);
  const asked = byFile.slice(0, MAX_ASKED).map(({ id }) => written(folder, id));
  return [...asked.sort(lastFirst), ...byFile.slice(MAX_ASKED)].map(({ id }) => id);
}

/** The session folders of all working directories. */
export function foldersBelow(root: string): readonly string[] {
  try {
    return readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? join(root, entry.name) : [],
    );
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Ids of the sessions in a folder, unordered: no log is opened. */
export function sessionNames(folder: string): readonly string[] {
  return namesIn(folder).flatMap((name) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : []));
}

/**
 * Candidates for the most recently written session, most recent first; no other log is opened. They are the sessions that began
 * last, that a process has open or left open, that were noted as long, or whose id does not say when they began.
 */
export function newestSessions(folder: string): readonly string[] {
  const began: string[] = [];
  const found = new Set<string>();
  const maybe = [...notedSessions(folder)];
  for (const name of namesIn(folder)) {
    if (name.endsWith(LOCK)) maybe.push(name.slice(0, -LOCK.length));
    if (!name.endsWith(SUFFIX)) continue;
    const id = name.slice(0, -SUFFIX.length);
    if (STAMPED.test(id)) began.push(id);
    else found.add(id);
  }
  for (const id of began.sort().slice(-MAX_BEGAN)) found.add(id);
  for (const id of maybe) if (existsSync(sessionPath(folder, id))) found.add(id);
  return [...found]
    .map((id) => written(folder, id))
    .sort(lastFirst)
    .map(({ id }) => id);
}

/** How long a new session may run before it is noted: others begin meanwhile, so its id no longer marks it as recent. */
const LONG_MS = 600_000;

export function isLong(beganAt: number): boolean {
  return nowMs() - beganAt >= LONG_MS;
}

const MAX_NOTED_BYTES = 4 * 1024;

/** Sessions that ran for long, so that their ids no longer mark them as recent. */
export function notedSessions(folder: string): readonly string[] {
  try {
    return readBoundedFile(join(folder, NOTED), MAX_NOTED_BYTES).toString("utf8").split("\n").filter(Boolean);
  } catch {
    return []; // usually there is no such file
  }
}

const LOCK = `${SUFFIX}.lock`;
export const NOTED: string = basename(HOME_FILES.longSessions.path);
const STAMPED = /^\d{8}-\d{9}-/;
/** This many of the newest ids are looked at, and this many are noted. */
export const MAX_BEGAN = 64;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Uses the log's own time if it has one. */
function written(folder: string, id: string): Written {
  const path = sessionPath(folder, id);
  return { id, writtenMs: lastEntryAt(path) ?? writtenAt(path) };
}

/** 0 if the log is gone or cannot be read: the reader reports it and takes the next. */
function writtenAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

// In a folder with more sessions than this, the newest has been among them for a long time.
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

/** When the last entry of a log was written, by its own time; undefined if the log's end does not say. */
function lastEntryAt(path: string): number | undefined {
  try {
    return withRegularFile(path, { followsLinks: true }, (file, size) => {
      for (const length of TAIL_BYTES) {
        const tail = Buffer.alloc(Math.min(length, size));
        readSync(file, tail, 0, tail.length, size - tail.length);
        for (const line of tail.toString("utf8").split("\n").reverse()) {
          const [, at, type] = ENTRY_BEGINNING.exec(line) ?? [];
          if (at !== undefined && type !== "title") return Number(at); // renaming does not make it newer
        }
      }
      return undefined;
    });
  } catch {
    return undefined; // opening it reports why it cannot be read
  }
}
