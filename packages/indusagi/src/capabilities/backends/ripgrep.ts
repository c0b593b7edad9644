// Content search by ripgrep: linear-time on any pattern, outside this process, several files at once. Its results are
// the portable walker's, in the walker's order; search-cases.ts is the suite that both pass.

import { spawn } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { parse } from "node:path";
import { Aborted } from "../../core/abort.ts";
import { describeError } from "../../core/faults.ts";
import type { FsSearch, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { isBinary, MAX_FILE_BYTES, SNIFF_BYTES, shownLine } from "../search/line-match.ts";
import { PatternError } from "../search/pattern.ts";
import { compareWalkOrder, PRUNED_NAMES } from "../search/walk.ts";

/** Answers undefined where no ripgrep is installed for this platform. */
export const ripgrepSearch: FsSearch = { grep };

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
  return { hits: hits.slice(0, query.maxHits), truncated: hits.length > query.maxHits };
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
    let complaint = "";
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
    child.stderr.on("data", (chunk: Buffer) => {
      if (complaint.length < MAX_COMPLAINT_CHARS) complaint += chunk.toString("utf8");
    });
    child.once("error", (error) => reject(new Error(`Cannot run ripgrep: ${describeError(error)}`)));
    child.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      // With --no-messages, ripgrep complains of nothing but the pattern.
      if (complaint !== "" && !records.isFull) reject(new PatternError(lastLine(complaint)));
      else resolve({ hits: records.hits, isComplete: !records.isFull });
    });
  });
}

const MAX_COMPLAINT_CHARS = 4_096;

function lastLine(complaint: string): string {
  return (complaint.trim().split("\n").at(-1) ?? "").replace(/^error: /, "");
}

function commandLine(query: GrepQuery, isOrdered: boolean): readonly string[] {
  return [
    "--no-config",
    "--no-ignore",
    "--hidden",
    "--no-messages",
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
      this.#enter(bytes.toString("utf8", at, pathEnd));
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
  // file as text and the opening of each file with a hit is looked at here.
  #enter(path: string): void {
    if (path === this.#path) return;
    this.#path = path;
    this.#isSkipped = opensBinary(path);
  }
}

function opensBinary(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const opening = Buffer.allocUnsafe(SNIFF_BYTES);
    return isBinary(opening.subarray(0, readSync(file, opening, 0, SNIFF_BYTES, 0)));
  } finally {
    closeSync(file);
  }
}
