// Full-text search over session logs, by ripgrep: thousands of logs in a fraction of a second, none of them opened here.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { ripgrepPath } from "indusagi/capabilities";
import { Problem } from "./problem.ts";

/** The entries in which people look for what they remember; a prompt holds every word. */
const SPOKEN = '"type":"(user|queued|assistant|tool|summary|title)"';
// In an entry's JSON: a string that is a text or in the arguments of a call, which may hold a table in a table, and no name of a field, of
// which most are words.
const STRING = '"(?:[^"\\\\]|\\\\.)*';
const TABLE = `\\{(?:[^"{}]|${STRING}")*\\}`;
const SAID = `(?:"text":${STRING}|"input":\\{(?:[^"{}]|${STRING}"|${TABLE}|\\{)*${STRING})`;
const REST = '(?:[^"\\\\]|\\\\.)*"[^:]';
const MAX_LISTED_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN_BYTES = 8 * 1024 * 1024;
const AROUND = 40;
/** Logs that a command line can name. */
const MAX_NAMED = 500;

/** Paths of the logs below `folder` that hold every one of `words`, whatever their case. */
export async function searchLogs(folder: string, words: readonly string[]): Promise<ReadonlySet<string>> {
  const program = await ripgrepPath();
  if (program === undefined)
    throw new Problem("sessions cannot be searched here: ripgrep is not installed for this platform");
  let found: ReadonlySet<string> | undefined;
  // The longest word first: it is in the fewest, and of few the others are looked for in those alone.
  for (const word of words.toSorted((a, b) => b.length - a.length)) {
    if (!existsSync(folder)) return new Set();
    const where = found && found.size <= MAX_NAMED ? [...found] : [folder];
    const args = ["--no-config", "--no-ignore", "--hidden", "--no-messages", "-l", "-i", "-0"];
    const globs = ["-g", "*.jsonl", "-g", "!**/delegates/**", "-g", "!**/trash/**"];
    const pattern = `${SPOKEN}.*${SAID}${literal(inJson(word))}${REST}`;
    const run = spawnSync(program, [...args, ...globs, "-e", pattern, "--", ...where], {
      encoding: "utf8",
      maxBuffer: MAX_LISTED_BYTES,
    });
    if (run.error || (run.status ?? 2) > 1)
      throw new Problem(`the search failed: ${run.error?.message ?? run.stderr.trim()}`);
    const holding = new Set(run.stdout.split("\0").filter((path) => path !== ""));
    const before = found;
    found = before ? new Set([...holding].filter((path) => before.has(path))) : holding;
    if (found.size === 0) break;
  }
  return found ?? new Set();
}

/** Where a log first says it, with what stands around; empty for one too long to be looked into. */
export function excerptOf(path: string, word: string): string {
  let text: string;
  try {
    text = readFileSync(path).subarray(0, MAX_SHOWN_BYTES).toString("utf8");
  } catch {
    return ""; // it went meanwhile
  }
  const wanted = word.toLowerCase();
  const spoken = new RegExp(SPOKEN);
  for (const line of text.split("\n")) {
    if (!spoken.test(line.slice(0, 200)) || !line.toLowerCase().includes(inJson(word).toLowerCase()))
      continue;
    for (const said of saidIn(line)) {
      const at = said.toLowerCase().indexOf(wanted);
      if (at >= 0) return said.slice(Math.max(0, at - AROUND), at + wanted.length + AROUND);
    }
  }
  return "";
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
    // a line that is cut or damaged
  }
  return found;
}

/** As it stands in a log. */
function inJson(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
