// Content search with ripgrep: linear-time for any pattern, outside this process, several files at once. Its results are those
// of the portable walker, in the walker's order; search-cases.ts is the suite that both pass.

import { spawn } from "node:child_process";
import { parse } from "node:path";
import { Aborted } from "../../core/abort.ts";
import { monotonicMs } from "../../core/clock.ts";
import { describeError } from "../../core/faults.ts";
import type { FsSearch, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { PRUNED_NAMES } from "../search/folder-level.ts";
import { MAX_FILE_BYTES } from "../search/line-match.ts";
import { presentOmissions } from "../search/omissions.ts";
import { PatternError } from "../search/pattern.ts";
import { compareWalkOrder } from "../search/walk.ts";
import { openMessageStore } from "./ripgrep-message-store.ts";
import { MessageReader, type RipgrepReport } from "./ripgrep-messages.ts";
import { RecordParser } from "./ripgrep-records.ts";

/** Returns undefined if ripgrep is not installed for this platform. */
export const ripgrepSearch: FsSearch = { grep: grepWithRipgrep, opensPaths: true };

interface RipgrepInput {
  /** The single file to search, already open: it is read through this handle, and its path in the query only names it. */
  readonly file?: number;
}

/**
 * ripgrep searches files in no fixed order, and in path order only with one thread. So all threads run first, and their hits
 * are sorted here. A pattern that is everywhere fills this many hits at once: a second run in path order then soon reaches its
 * limit and is stopped there. Either way at most this many hits are held. (Path order is by bytes and the walker's by UTF-16
 * units: a limited search can differ where names contain characters beyond U+FFFF.)
 */
const UNORDERED_HITS = 2_000;

export async function grepWithRipgrep(
  query: GrepQuery,
  signal: AbortSignal,
  { file }: RipgrepInput = {},
): Promise<GrepResult | undefined> {
  const program = await ripgrepPath();
  if (program === undefined) return undefined;
  const endMs = monotonicMs() + (query.maxMs ?? Number.POSITIVE_INFINITY);
  const runner: Runner = { program, query, signal, endMs, file };
  const wanted = query.maxHits + 1; // one extra shows whether there are more
  const found = await search(runner, { limit: Math.max(UNORDERED_HITS, wanted), isOrdered: false });
  const all = found.state === "full" ? await search(runner, { limit: wanted, isOrdered: true }) : found;
  const hits = all.hits.toSorted(compareHits);
  if (hits.length > query.maxHits || all.state === "full")
    return { hits: hits.slice(0, query.maxHits), truncated: true };
  if (all.state === "timedOut") return { hits, truncated: false, timedOut: true };
  return { hits, truncated: false, ...presentOmissions(all.omissions) };
}

let programPath: Promise<string | undefined> | undefined;

/** The program, where one is installed. */
// On first use: resolving the package costs more than a small search.
export function ripgrepPath(): Promise<string | undefined> {
  programPath ??= import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => undefined, // the package throws if it has no program for the platform
  );
  return programPath;
}

interface Runner {
  readonly program: string;
  readonly query: GrepQuery;
  readonly signal: AbortSignal;
  readonly endMs: number;
  readonly file: number | undefined;
}

interface RunOptions {
  /** The run is stopped at this many hits. */
  readonly limit: number;
  readonly isOrdered: boolean;
}

type RunState = "complete" | "full" | "timedOut";

interface Found extends Pick<RipgrepReport, "omissions"> {
  readonly hits: readonly GrepHit[];
  readonly state: RunState;
}

// ripgrep stops at any NUL, its sign of a binary file; the walker only at one in the opening bytes. So files abandoned later
// are searched again as text.
async function search(runner: Runner, options: RunOptions): Promise<Found> {
  const { query } = runner;
  const first = await run(runner, commandLine(runner, options.isOrdered), options.limit);
  const { left, omissions } = first.report;
  const isFinal = first.state === "complete" || (first.state === "full" && options.isOrdered);
  const hits = [...withoutFiles(first.hits, left)];
  if (!isFinal) return { hits, state: first.state, omissions };
  // Files after the last hit of a stopped run were not searched.
  const last = first.state === "full" ? first.hits.at(-1) : undefined;
  let state: RunState = first.state;
  for (let at = 0; at < left.length && state !== "timedOut"; at += PATHS_PER_RUN) {
    const paths = left.slice(at, at + PATHS_PER_RUN);
    const again = await run(runner, textCommandLine(query, paths), options.limit);
    hits.push(...again.hits.filter((hit) => last === undefined || compareHits(hit, last) <= 0));
    if (again.state !== "complete") state = again.state;
  }
  return { hits, state, omissions };
}

function compareHits(a: GrepHit, b: GrepHit): number {
  return compareWalkOrder(a.path, b.path) || a.line - b.line;
}

// An argument list can hold at least 128 KiB.
const PATHS_PER_RUN = 200;

function withoutFiles(hits: readonly GrepHit[], paths: readonly string[]): readonly GrepHit[] {
  if (paths.length === 0) return hits;
  const left = new Set(paths);
  return hits.filter((hit) => !left.has(hit.path));
}

interface Run {
  readonly hits: readonly GrepHit[];
  readonly state: RunState;
  readonly report: RipgrepReport;
}

function run(runner: Runner, args: readonly string[], limit: number): Promise<Run> {
  const { query, signal, endMs, file } = runner;
  if (signal.aborted) return Promise.reject(new Aborted());
  return new Promise((resolve, reject) => {
    const { child, store } = start(runner, args);
    const records = new RecordParser(limit, file === undefined ? undefined : query.root);
    const messages = new MessageReader(query.root);
    let isTimedOut = false;
    const onTimeout = (): void => {
      isTimedOut = true;
      child.kill("SIGKILL");
    };
    const timer = Number.isFinite(endMs)
      ? setTimeout(onTimeout, Math.max(0, endMs - monotonicMs()))
      : undefined;
    const onAbort = (): void => {
      child.kill("SIGKILL");
      reject(new Aborted());
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => {
      if (records.isFull) return;
      records.write(chunk);
      if (records.isFull) child.kill("SIGKILL");
    });
    child.stderr?.on("data", (chunk: Buffer) => messages.write(chunk));
    child.once("error", (error) => {
      store?.close();
      reject(new Error(`Cannot run ripgrep: ${describeError(error)}`));
    });
    const finish = async (): Promise<Run> => {
      await store?.readInto(messages);
      const report = messages.read();
      const state = records.isFull ? "full" : isTimedOut ? "timedOut" : "complete";
      if (report.patternProblem !== undefined && state === "complete")
        throw new PatternError(report.patternProblem, { isSyntax: true });
      if (report.rootProblem !== undefined && records.hits.length === 0)
        throw rootError(query.root, report.rootProblem);
      report.omissions.undecoded += records.undecoded.size;
      return { hits: records.hits, state, report };
    };
    child.once("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      finish().then(resolve, reject);
    });
  });
}

function start({ program, query, file }: Runner, args: readonly string[]) {
  const store = openMessageStore();
  try {
    const child = spawn(program, args, {
      cwd: parse(query.root).root, // globs are relative to it, and our own folder may be gone
      stdio: [file ?? "ignore", "pipe", store?.file ?? "pipe"],
    });
    return { child, store };
  } catch (error) {
    store?.close();
    throw error;
  }
}

// The error that the walker's first step would reject with.
function rootError(root: string, number: number): Error {
  const code = { 2: "ENOENT", 13: "EACCES", 20: "ENOTDIR", 40: "ELOOP" }[number] ?? "EIO";
  return Object.assign(new Error(`${code}: cannot be read, open '${root}'`), { code });
}

function commandLine({ query, file }: Runner, isOrdered: boolean): readonly string[] {
  if (file !== undefined) return textCommandLine(query, ["-"]);
  if (query.isFile) return textCommandLine(query, [query.root]);
  return [
    ...commonFlags(query),
    "--debug", // it reports what it skips
    ...ignoreFlags(query),
    "--hidden",
    `--max-filesize=${MAX_FILE_BYTES}`,
    ...[...PRUNED_NAMES].map((name) => `--glob=!${name}/`),
    ...(isOrdered ? ["--sort=path"] : []),
    "--",
    query.root,
  ];
}

/** Searches files whatever their content. */
function textCommandLine(query: GrepQuery, paths: readonly string[]): readonly string[] {
  return [...commonFlags(query), "--text", "--", ...paths];
}

function commonFlags(query: GrepQuery): readonly string[] {
  return [
    "--no-config",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--column",
    "--null",
    "--crlf",
    `--max-count=${query.maxHits + 1}`,
    query.ignoreCase ? "--ignore-case" : "--case-sensitive",
    `--regexp=${query.pattern}`,
  ];
}

// Without --no-ignore: .gitignore files and info/exclude apply, but not those of other programs or of the user.
function ignoreFlags({ respectGitignore, isInRepository }: GrepQuery): readonly string[] {
  if (!respectGitignore) return ["--no-ignore"];
  const filter = ["--no-ignore-dot", "--no-ignore-global", "--no-ignore-messages"];
  return isInRepository ? filter : [...filter, "--no-ignore-parent", "--no-require-git"];
}
