// Lines a person sent, kept per folder across sessions: one JSON string per line, appended under a lock, so that several
// sessions can write one file without losing lines. It is bounded: when it is full, the oldest half is dropped.

import { appendFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readBoundedFile } from "indusagi/core";
import { HOME_FILES } from "./home-files.ts";
import { withLock } from "./lock.ts";
import { makeFolder } from "./make-folder.ts";
import { replaceFile } from "./replace-file.ts";

export interface LineHistory {
  /** Oldest first, without repeats, including other sessions' lines; the same array until something is added. */
  readonly lines: () => readonly string[];
  /** A line that starts with a blank is not written to the file. Never throws. */
  readonly add: (line: string) => void;
  /** Why the last line could not be kept; undefined if it was. */
  readonly problem: () => unknown;
}

const { maxBytes: MAX_BYTES } = HOME_FILES.history;
/** A larger file is not ours and is ignored. */
const MAX_READ_BYTES = 2 * MAX_BYTES;
/** A longer line is kept for this session only. */
const MAX_LINE_BYTES = 64 * 1024;

/** The history in `path`, read on first use. `mask` keeps secrets out of it. */
export function createLineHistory(path: string, mask: (line: string) => string): LineHistory {
  let known: readonly string[] = [];
  let knownSize = -1;
  /** This session's lines that are in no file. */
  let own: readonly string[] = [];
  let problem: unknown;

  function read(): readonly string[] {
    try {
      const { size } = statSync(path);
      if (size === knownSize) return known;
      knownSize = size;
      known = size > MAX_READ_BYTES ? own : withoutRepeats([...linesIn(path), ...own]);
    } catch {
      // The file does not exist yet or cannot be read: this session's lines still count.
      if (knownSize !== -1 || known.length === 0) known = own;
      knownSize = -1;
    }
    return known;
  }

  async function keep(line: string): Promise<void> {
    makeFolder(dirname(path));
    await withLock(`${path}.lock`, () => {
      const row = `${JSON.stringify(line)}\n`;
      appendFileSync(path, row, { mode: 0o600 });
      const { size } = statSync(path);
      // A file that something else has grown is started over.
      if (size > MAX_BYTES) replaceFile(path, size > MAX_READ_BYTES ? row : newestHalf(path));
    });
    problem = undefined;
  }

  return {
    lines: read,
    problem: () => problem,
    add: (line) => {
      if (line.trim() === "") return;
      const masked = mask(line);
      const isKept = !/^\s/.test(line) && Buffer.byteLength(masked) <= MAX_LINE_BYTES;
      const remember = (): void => {
        own = [...own.slice(-999), masked];
        known = withoutRepeats([...known, masked]);
      };
      if (!isKept) {
        remember();
        return;
      }
      if (read().at(-1) === masked) return;
      // Unless another session holds the lock at that moment, the line is in the file when this returns.
      keep(masked).catch((error: unknown) => {
        problem = error;
        remember();
      });
    },
  };
}

function linesIn(path: string): readonly string[] {
  const text = readBoundedFile(path, MAX_READ_BYTES).toString("utf8");
  return text.split("\n").flatMap((row) => {
    try {
      const line: unknown = JSON.parse(row);
      return typeof line === "string" ? [line] : [];
    } catch {
      return []; // a row cut short by a full disk, or the empty one after the last
    }
  });
}

/** Of equal lines, keeps the newest. */
function withoutRepeats(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.toReversed())].reverse();
}

function newestHalf(path: string): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of withoutRepeats(linesIn(path)).toReversed()) {
    const row = `${JSON.stringify(line)}\n`;
    bytes += Buffer.byteLength(row);
    if (bytes > MAX_BYTES / 2) break;
    kept.push(row);
  }
  return kept.reverse().join("");
}
