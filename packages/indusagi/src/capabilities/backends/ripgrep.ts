// Content search by ripgrep: linear-time on any pattern, outside this process, several files at once. Its results are
// the portable walker's, in the walker's order; search-cases.ts is the suite that both pass.

import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { parse } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { Aborted } from "../../core/abort.ts";
import { describeError, errorCode } from "../../core/faults.ts";
import type { FsSearch, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { PRUNED_NAMES } from "../search/folder-level.ts";
import { isBinary, MAX_FILE_BYTES, SNIFF_BYTES, shownLine } from "../search/line-match.ts";
import { PatternError } from "../search/pattern.ts";
import { compareWalkOrder } from "../search/walk.ts";

/** Answers undefined where no ripgrep is installed for this platform. */
export const ripgrepSearch: FsSearch = { grep, opensPaths: true };

/**
 * ripgrep searches files in no fixed order, and in path order only with one thread. So all threads run first, and
 * their hits are sorted here. A pattern that is everywhere fills this many hits at once: then a second run in path
 * order is soon at its cap and is stopped there. Either way at most this many hits are held. (Path order is by bytes
 * and the walker's by UTF-16 units: a capped search may differ where names hold characters beyond U+FFFF.)
 */
const UNORDERED_HITS = 2_000;

async function grep(query: GrepQuery, signal: AbortSignal): Promise<GrepResult | undefined> {
  const program = await ripgrepPath();
  if (program === undefined) return undefined;
  const wanted = query.maxHits + 1; // one more tells whether there are more
  const limit = Math.max(UNORDERED_HITS, wanted);
  const unordered = await run(program, query, { signal, limit, isOrdered: false });
  const found = unordered.isComplete
    ? unordered
    : await run(program, query, { signal, limit: wanted, isOrdered: true });
  const hits = found.hits.toSorted((a, b) => compareWalkOrder(a.path, b.path) || a.line - b.line);
  if (hits.length > query.maxHits) return { hits: hits.slice(0, query.maxHits), truncated: true };
  return { hits, truncated: false, ...(found.unreadable > 0 && { unreadable: found.unreadable }) };
}

let programPath: Promise<string | undefined> | undefined;

// On first use: resolving the package costs more than a small search.
function ripgrepPath(): Promise<string | undefined> {
  programPath ??= import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => undefined, // the package throws where it has no program for the platform
  );
  return programPath;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly limit: number;
  readonly isOrdered: boolean;
}

interface Run {
  readonly hits: readonly GrepHit[];
  /** False when the run was stopped at its limit. */
  readonly isComplete: boolean;
  readonly unreadable: number;
}

function run(program: string, query: GrepQuery, options: RunOptions): Promise<Run> {
  const { signal, limit } = options;
  if (signal.aborted) return Promise.reject(new Aborted());
  return new Promise((resolve, reject) => {
    const child = spawn(program, commandLine(query, options.isOrdered), {
      cwd: parse(query.root).root, // globs count from here, and our own folder may be gone
      stdio: ["ignore", "pipe", "pipe"],
    });
    const records = new RecordParser(limit);
    const complaints = new ComplaintReader(query.root);
    const onAbort = (): void => {
      child.kill("SIGKILL");
      reject(new Aborted());
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (records.isFull) return;
      records.write(chunk);
      if (records.isFull) child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk: Buffer) => complaints.write(chunk));
    child.once("error", (error) => reject(new Error(`Cannot run ripgrep: ${describeError(error)}`)));
    child.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      const { patternProblem, unreadable } = complaints.read();
      if (patternProblem !== undefined && !records.isFull) reject(new PatternError(patternProblem));
      else resolve({ hits: records.hits, isComplete: !records.isFull, unreadable });
    });
  });
}

const MAX_COMPLAINT_CHARS = 4_096;

// What became another thing, or went away, since its folder was listed: as `isGone` of the walk.
const GONE_NUMBERS: ReadonlySet<string> = new Set(["2", "20", "21", "22", "40", "62"]);

/**
 * ripgrep's complaints: first of the pattern, and then there is no search; or of files, each
 * `rg: <path>: <reason> (os error <number>)`. A path may hold line breaks.
 */
export class ComplaintReader {
  readonly #start: string;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #pattern = "";
  #isSearching = false;
  #unreadable = 0;

  constructor(root: string) {
    this.#start = `rg: ${root}`;
  }

  write(chunk: Buffer): void {
    const lines = (this.#line + this.#decoder.write(chunk)).split("\n");
    const unfinished = lines.pop() ?? "";
    for (const line of lines) this.#hear(line);
    // A path may be longer than what is kept, and its line may come in pieces: its beginning counts before it is dropped.
    this.#isSearching ||= unfinished.startsWith(this.#start);
    this.#line = unfinished.slice(-MAX_COMPLAINT_CHARS);
  }

  read(): { readonly patternProblem: string | undefined; readonly unreadable: number } {
    this.#hear(this.#line);
    this.#line = "";
    const lines = this.#pattern.trim().split("\n");
    const problem = lines.at(-1)?.replace(/^(?:rg|error): /, "");
    return { patternProblem: problem === "" ? undefined : problem, unreadable: this.#unreadable };
  }

  #hear(line: string): void {
    this.#isSearching ||= line.startsWith(this.#start);
    if (!this.#isSearching) {
      if (this.#pattern.length < MAX_COMPLAINT_CHARS) this.#pattern += `${line}\n`;
      return;
    }
    const number = /\(os error (\d+)\)$/.exec(line)?.[1];
    if (number !== undefined && !GONE_NUMBERS.has(number)) this.#unreadable++;
  }
}

function commandLine(query: GrepQuery, isOrdered: boolean): readonly string[] {
  return [
    "--no-config",
    ...ignoreFlags(query),
    "--hidden",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--text",
    "--encoding=none",
    "--crlf",
    `--max-filesize=${MAX_FILE_BYTES}`,
    `--max-count=${query.maxHits + 1}`,
    ...[...PRUNED_NAMES].map((name) => `--glob=!${name}/`),
    query.ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(isOrdered ? ["--sort=path"] : []),
    `--regexp=${query.pattern}`,
    "--",
    query.root,
  ];
}

// Without --no-ignore: .gitignore files and info/exclude, and of no other program or person.
function ignoreFlags({ respectGitignore, isInRepository }: GrepQuery): readonly string[] {
  if (!respectGitignore) return ["--no-ignore"];
  const filter = ["--no-ignore-dot", "--no-ignore-global", "--no-ignore-messages"];
  return isInRepository ? filter : [...filter, "--no-ignore-parent", "--no-require-git"];
}

const NUL = 0;
const COLON = 58;
const NEWLINE = 10;

/** Parses `path NUL line : text NEWLINE` records; a name may hold a newline, a text may hold a NUL. */
class RecordParser {
  readonly hits: GrepHit[] = [];
  readonly #limit: number;
  #rest: Buffer = Buffer.alloc(0);
  #path = "";
  #isSkipped = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.hits.length >= this.#limit;
  }

  write(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    while (!this.isFull) {
      const pathEnd = bytes.indexOf(NUL, at);
      const numberEnd = pathEnd < 0 ? -1 : bytes.indexOf(COLON, pathEnd);
      const textEnd = numberEnd < 0 ? -1 : bytes.indexOf(NEWLINE, numberEnd);
      if (textEnd < 0) break;
      this.#enter(bytes.subarray(at, pathEnd));
      if (!this.#isSkipped) {
        const line = Number(bytes.toString("latin1", pathEnd + 1, numberEnd));
        this.hits.push({
          path: this.#path,
          line,
          text: shownLine(bytes.toString("utf8", numberEnd + 1, textEnd)),
        });
      }
      at = textEnd + 1;
    }
    this.#rest = bytes.subarray(at);
  }

  // The walker skips a file by a NUL in its opening bytes; ripgrep by a NUL anywhere, so it is told to take every
  // file as text and the opening of each file with a hit is looked at here. A name that is not UTF-8 cannot cross the
  // seam, so the walker does not come to such a file.
  #enter(name: Buffer): void {
    const path = name.toString("utf8");
    if (path === this.#path) return;
    this.#path = path;
    this.#isSkipped = !isUtf8(name) || opensBinary(path);
  }
}

// Not asynchronous: ripgrep has just read the file, so it is in memory, and a chunk of output has few files.
function opensBinary(path: string): boolean {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const opening = Buffer.allocUnsafe(SNIFF_BYTES);
      return isBinary(opening.subarray(0, readSync(file, opening, 0, SNIFF_BYTES, 0)));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return true; // it went away meanwhile
  }
}
