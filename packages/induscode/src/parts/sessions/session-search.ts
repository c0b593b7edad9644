// Full-text search over session logs, with ripgrep: thousands of logs in a fraction of a second, without opening any here.

import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { ripgrepPath } from "indusagi/capabilities";
import { beginningOf, describeError, endingOf } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";

/** The entry types in which people look for what they remember; a prompt contains every word. */
const SPOKEN = '"type":"(user|queued|assistant|tool|summary|title)"';
// Within an entry's JSON: a string that is a text or part of a call's arguments, which can be nested one table deep; never a field's
// name, since most of those are ordinary words.
const STRING = '"(?:[^"\\\\]|\\\\.)*';
const TABLE = `\\{(?:[^"{}]|${STRING}")*\\}`;
const SAID = `(?:"text":${STRING}|"input":\\{(?:[^"{}]|${STRING}"|${TABLE}|\\{)*${STRING})`;
const REST = '(?:[^"\\\\]|\\\\.)*"[^:]';
const MAX_LISTED_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
/** How much of a sentence is shown before the word, and half of what is shown from it on. */
const AROUND = 80;
/** As many logs as fit on a command line. */
const MAX_NAMED = 500;

/** What ripgrep says of a file that it cannot read; it searches the others. */
const UNREADABLE = /^rg: .+ \(os error \d+\)$/;

/**
 * Paths of the logs below `folder` that contain every one of `words`, ignoring case. `onUnread` gets a line for each that could not be
 * read, once or more.
 */
export async function searchLogs(
  folder: string,
  words: readonly string[],
  onUnread: (line: string) => void,
): Promise<ReadonlySet<string>> {
  const program = await ripgrepPath();
  if (program === undefined)
    throw new Problem("sessions cannot be searched: ripgrep is not installed for this platform");
  let found: ReadonlySet<string> | undefined;
  // The longest word first: it is in the fewest logs, and if they are few, only those are searched for the other words.
  for (const word of words.toSorted((a, b) => b.length - a.length)) {
    if (!isThere(folder)) return new Set();
    const where = found && found.size <= MAX_NAMED ? [...found] : [folder];
    const args = ["--no-config", "--no-ignore", "--hidden", "-l", "-i", "-0"];
    const globs = ["-g", "*.jsonl", "-g", "!**/delegates/**", "-g", "!**/trash/**"];
    const pattern = `${SPOKEN}.*${SAID}${literal(inJson(word))}${REST}`;
    const run = spawnSync(program, [...args, ...globs, "-e", pattern, "--", ...where], {
      encoding: "utf8",
      maxBuffer: MAX_LISTED_BYTES,
    });
    const told = String(run.stderr).split("\n").filter(Boolean);
    const isAboutFiles = told.length > 0 && told.every((line) => UNREADABLE.test(line));
    if (run.error || ((run.status ?? 2) > 1 && !isAboutFiles))
      throw new Problem(`the search failed: ${run.error?.message ?? told.join("; ")}`);
    for (const line of told) onUnread(line.replace("rg: ", ""));
    const holding = new Set(run.stdout.split("\0").filter((path) => path !== ""));
    const before = found;
    found = before ? new Set([...holding].filter((path) => before.has(path))) : holding;
    if (found.size === 0) break;
  }
  return found ?? new Set();
}

function isThere(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new Problem(`the sessions in ${folder} cannot be searched: ${describeError(error)}`);
  }
}

/** The sentence of a log that has most of these words, the first of several; empty if none has any. */
export function excerptOf(path: string, words: readonly string[]): string {
  const wanted = words.map((word) => word.toLowerCase());
  let best = { sentence: "", count: 0 };
  try {
    for (const line of linesOf(path)) {
      for (const said of spokenIn(line, wanted)) {
        const found = sentenceWith(said, wanted);
        if (found.count > best.count) best = found;
        if (best.count === wanted.length) return best.sentence;
      }
    }
  } catch {
    // it was removed meanwhile
  }
  return best.sentence;
}

/** The lines of a log, however long it is, read piece by piece. */
function* linesOf(path: string): Iterable<string> {
  const file = openSync(path, "r");
  const decoder = new StringDecoder("utf8");
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let begun = "";
  try {
    for (let got = readSync(file, piece); got > 0; got = readSync(file, piece)) {
      const [first = "", ...more] = decoder.write(piece.subarray(0, got)).split("\n");
      begun += first;
      for (const next of more) {
        yield begun;
        begun = next;
      }
    }
    yield begun;
  } finally {
    closeSync(file);
  }
}

const IS_SPOKEN = new RegExp(SPOKEN);

/** What was said in an entry that has one of these words. */
function spokenIn(line: string, wanted: readonly string[]): readonly string[] {
  if (!IS_SPOKEN.test(line.slice(0, 200))) return [];
  const lower = line.toLowerCase();
  return wanted.some((word) => lower.includes(inJson(word))) ? saidIn(line) : [];
}

/** The first sentence with one of the words, and how many of them it has. */
function sentenceWith(
  said: string,
  wanted: readonly string[],
): { readonly sentence: string; readonly count: number } {
  const lower = said.toLowerCase();
  const places = wanted.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  if (places.length === 0) return { sentence: "", count: 0 };
  let best = { sentence: "", count: 0 };
  for (const place of places) {
    const sentence = sentenceAt(said, place);
    const count = wanted.filter((word) => sentence.toLowerCase().includes(word)).length;
    if (count > best.count) best = { sentence, count };
  }
  return best;
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: "sentence" });

/** The sentence around a place: the part of a long one, or of a text without sentences, that is next to it. */
function sentenceAt(said: string, place: number): string {
  const from = Math.max(0, place - AROUND);
  const near = endingOf(said.slice(0, place), AROUND) + beginningOf(said.slice(place), 2 * AROUND);
  const { index = 0, segment = near } = SENTENCES.segment(near).containing(place - from) ?? {};
  const isCutBefore = index === 0 && from > 0;
  const isCutAfter = index + segment.length === near.length && from + near.length < said.length;
  return `${isCutBefore ? "… " : ""}${segment.trim()}${isCutAfter ? " …" : ""}`;
}

/** The texts of an entry, and the arguments of its calls. */
function saidIn(line: string): readonly string[] {
  const found: string[] = [];
  const collect = (value: unknown, isSaid: boolean): void => {
    if (typeof value === "string" && isSaid) found.push(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value))
      collect(part, isSaid || key === "text" || key === "input");
  };
  try {
    collect(JSON.parse(line), false);
  } catch {
    // a line that is truncated or damaged
  }
  return found;
}

/** A word as it is written in a log. */
function inJson(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
