// Matching off the main thread. JavaScript's matcher backtracks and a model writes the pattern, so a deadline ends the thread
// and this process never blocks on it. If a seam's paths are real disk paths, the thread also reads the files: one at a time on
// a thread costs a fifth of reading them through promises.

import { Worker } from "node:worker_threads";
import { Aborted } from "../../core/abort.ts";
import type { SearchOmissions } from "../kernel/contract.ts";
import { type LineHit, MAX_FILE_BYTES, SNIFF_BYTES, shownLine } from "./line-match.ts";
import { PatternError, type SearchPattern } from "./pattern.ts";

/** How long the thread can match in one search, beyond what a sound pattern needs for its data. */
const MATCH_DEADLINE_MS = 5_000;

// A sound pattern takes 5 to 20 ms.
const MATCH_MS_PER_MEBIBYTE = 100;

/** At most this much of a line is matched. */
const LINE_CHARS = 65_536;

/** Matches batches of files in the order they arrive. `close` must be called. */
interface MatchThread {
  /**
   * Matches files, each given as UTF-8 bytes or as a path to read, up to `maxHits` lines. Rejects with {@link PatternError}
   * when the deadline passes, and with `Aborted` on cancellation.
   */
  readonly match: (files: readonly (string | Uint8Array)[], maxHits: number) => Promise<BatchMatches>;
  readonly close: () => Promise<void>;
}

interface BatchMatches {
  /** `file` is an index into the batch. */
  readonly hits: readonly (LineHit & { readonly file: number })[];
  readonly omissions: SearchOmissions;
}

interface ThreadSettings {
  readonly source: string;
  readonly flags: string;
  /** A text contained in every matching file; empty if none is known. */
  readonly needle: string;
  readonly lineChars: number;
  readonly maxFileBytes: number;
  readonly sniffBytes: number;
  /** The root of the search as given, then as a real path; paths to read are below the first. */
  readonly root: string;
  readonly realRoot: string;
  readonly epochMs: number;
  /** Read by {@link MatchClock}. */
  readonly clock: SharedArrayBuffer;
}

interface Job {
  readonly files: readonly (string | Uint8Array)[];
  readonly maxHits: number;
}

type Port = import("node:worker_threads").MessagePort;

// The source text of this function is the thread's whole program, so it cannot use anything outside itself. A separate file
// would need its own entry in every bundle.
function threadMain(port: Port, settings: ThreadSettings): void {
  const fs = process.getBuiltinModule("node:fs");
  const pattern = new RegExp(settings.source, settings.flags);
  const plainDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const decoders = ["utf-8", "utf-16le", "utf-16be"].map((encoding) => new TextDecoder(encoding)); // these drop a byte order mark
  const space = Buffer.allocUnsafe(settings.maxFileBytes + 1);
  const clock = new Int32Array(settings.clock);
  // Opened as the seam does: regular files only, and a pipe in the place of one does not block.
  const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0);
  const { root, realRoot } = settings;
  // The files are where the walk found them, unless a folder is swapped for a link: see backends/place.ts.
  const tellsPlaces = process.platform === "linux" && fs.existsSync("/proc/self/fd");
  const isMoved = (path: string, file: number): boolean =>
    (tellsPlaces ? fs.readlinkSync(`/proc/self/fd/${file}`) : fs.realpathSync(path)) !==
    realRoot + path.slice(root.length);

  const none = {
    unreadable: 0,
    tooLarge: 0,
    binary: 0,
    special: 0,
    undecoded: 0,
    cutLines: 0,
    changed: 0,
  };
  const omissions = { ...none };

  const encodingOf = (bytes: Buffer): 0 | 1 | 2 =>
    bytes[0] === 0xff && bytes[1] === 0xfe ? 1 : bytes[0] === 0xfe && bytes[1] === 0xff ? 2 : 0;

  /** Undefined for a file that a search skips and counts. */
  const read = (path: string): Buffer | undefined => {
    const info = fs.lstatSync(path);
    if (!info.isFile()) {
      if (!info.isDirectory() && !info.isSymbolicLink()) omissions.special++;
      return undefined;
    }
    const file = info.size > settings.maxFileBytes ? undefined : fs.openSync(path, openFlags);
    try {
      if (file !== undefined && isMoved(path, file)) {
        omissions.changed++;
        return undefined;
      }
      let length = file === undefined ? space.length : 0;
      while (file !== undefined && length < space.length) {
        const count = fs.readSync(file, space, length, space.length - length, null);
        length += count;
        if (count === 0 || (length === info.size && length > 0)) break;
      }
      const bytes = space.subarray(0, length);
      if (length > settings.maxFileBytes) omissions.tooLarge++;
      else if (bytes.subarray(0, settings.sniffBytes).includes(0) && encodingOf(bytes) === 0)
        omissions.binary++;
      else return bytes;
      return undefined;
    } finally {
      if (file !== undefined) fs.closeSync(file);
    }
  };

  const readOrCount = (path: string): Buffer | undefined => {
    try {
      return read(path);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code === undefined) throw error;
      if (!["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "EISDIR", "ENXIO"].includes(code)) omissions.unreadable++;
      else if (path.includes("\ufffd")) omissions.undecoded++;
      return undefined;
    }
  };

  const matchLines = (bytes: Buffer, isFile: boolean, wanted: number): LineHit[] => {
    const hits: LineHit[] = [];
    const encoding = isFile ? encodingOf(bytes) : 0;
    if (settings.needle !== "" && encoding === 0 && !bytes.includes(settings.needle)) return hits;
    const text = (isFile ? (decoders[encoding] ?? plainDecoder) : plainDecoder).decode(bytes);
    let start = 0;
    for (let line = 1; start < text.length && hits.length < wanted; line++) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline;
      const contentEnd = end > start && text[end - 1] === "\r" ? end - 1 : end;
      const matchedEnd = Math.min(contentEnd, start + settings.lineChars);
      const at = text.slice(start, matchedEnd).search(pattern);
      if (at >= 0) hits.push({ line, at, text: text.slice(start, end) });
      else if (matchedEnd < contentEnd) omissions.cutLines++;
      start = end + 1;
    }
    return hits;
  };

  let spentMs = 0;
  let bytesSeen = 0;
  port.on("message", (job: Job) => {
    const hits: (LineHit & { file: number })[] = [];
    Object.assign(omissions, none);
    for (let file = 0; file < job.files.length && hits.length < job.maxHits; file++) {
      const source = job.files[file] ?? "";
      const bytes =
        typeof source === "string"
          ? readOrCount(source)
          : Buffer.from(source.buffer, source.byteOffset, source.length);
      if (bytes === undefined) continue;
      bytesSeen += bytes.length;
      Atomics.store(clock, 2, bytesSeen >>> 10);
      Atomics.store(clock, 0, Math.max(1, Date.now() - settings.epochMs));
      const started = performance.now();
      for (const hit of matchLines(bytes, typeof source === "string", job.maxHits - hits.length))
        hits.push({ file, ...hit });
      spentMs += performance.now() - started;
      Atomics.store(clock, 1, spentMs);
      Atomics.store(clock, 0, 0);
    }
    port.postMessage({ hits, omissions });
  });
}

/** The thread's progress while it computes and cannot send messages. */
class MatchClock {
  readonly epochMs = Date.now();
  /** When the current file was started, in milliseconds after `epochMs` (0 between files); time spent on others; KiB seen. */
  readonly buffer = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
  readonly #cells = new Int32Array(this.buffer);

  get isOverdue(): boolean {
    const [begunAt = 0, spentMs = 0, kibibytes = 0] = this.#cells;
    const currentMs = begunAt === 0 ? 0 : Date.now() - this.epochMs - begunAt;
    return spentMs + currentMs > MATCH_DEADLINE_MS + (kibibytes / 1_024) * MATCH_MS_PER_MEBIBYTE;
  }
}

const DEADLINE_CHECK_MS = 100;

interface Waiter {
  readonly resolve: (matches: BatchMatches) => void;
  readonly reject: (error: unknown) => void;
}

/** What is searched; the thread reads only what is really below it. */
interface SearchedPlace {
  readonly root: string;
  readonly realRoot: string;
}

/** Starts the thread. Throws {@link PatternError} if JavaScript cannot compile the pattern. */
export function startMatchThread(
  pattern: SearchPattern,
  place: SearchedPlace,
  signal: AbortSignal,
): MatchThread {
  const clock = new MatchClock();
  const settings = settingsFor(pattern, place, clock);
  const program = `const { parentPort, workerData } = require("node:worker_threads");
(${threadMain.toString()})(parentPort, workerData);`;
  const worker = new Worker(program, { eval: true, workerData: settings, env: {}, execArgv: [] });
  const waiting: Waiter[] = [];
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    for (const waiter of waiting.splice(0)) waiter.reject(failure.error);
  };
  const onAbort = (): void => fail(new Aborted());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = setInterval(() => {
    if (clock.isOverdue)
      fail(new PatternError(`matching takes over ${MATCH_DEADLINE_MS / 1_000} seconds. Simplify it.`));
  }, DEADLINE_CHECK_MS);
  worker.on("error", fail);
  worker.on("message", ({ hits, omissions }: BatchMatches) => {
    const shown = hits.map((hit) => ({ ...hit, text: shownLine(hit.text, hit.at) }));
    waiting.shift()?.resolve({ hits: shown, omissions });
  });
  return {
    match: (files, maxHits) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure.error);
        waiting.push({ resolve, reject });
        worker.postMessage({ files, maxHits } satisfies Job);
      }),
    close: async () => {
      clearInterval(timer);
      signal.removeEventListener("abort", onAbort);
      await worker.terminate();
    },
  };
}

function settingsFor(pattern: SearchPattern, place: SearchedPlace, clock: MatchClock): ThreadSettings {
  const { body, inlineFlags } = splitInlineFlags(pattern.source);
  const ignoreCase = pattern.ignoreCase || inlineFlags.includes("i");
  return {
    ...place,
    source: body,
    flags: compilableFlags(body, ignoreCase ? "i" : ""),
    needle: ignoreCase ? "" : (pattern.literal ?? ""),
    lineChars: LINE_CHARS,
    maxFileBytes: MAX_FILE_BYTES,
    sniffBytes: SNIFF_BYTES,
    epochMs: clock.epochMs,
    clock: clock.buffer,
  };
}

/** The linear dialect writes flags as a leading `(?i)`, which JavaScript lacks. */
function splitInlineFlags(source: string): { readonly body: string; readonly inlineFlags: string } {
  const [opening = "", inlineFlags = ""] = /^\(\?([imsu]+)\)/.exec(source) ?? [];
  return { body: source.slice(opening.length), inlineFlags };
}

// Unicode mode if the pattern compiles with it: then a character is a code point, and case folding is as in ripgrep. That mode
// forbids some needless escapes that people write, so those patterns are compiled without it.
function compilableFlags(source: string, flags: string): string {
  if (compiles(source, `${flags}u`) === undefined) return `${flags}u`;
  const problem = compiles(source, flags);
  if (problem !== undefined) throw new PatternError(problem, { isSyntax: true });
  return flags;
}

function compiles(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}
