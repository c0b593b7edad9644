// Regular expressions off the main thread, for file systems without a native search. JavaScript's matcher backtracks
// and a model writes the pattern, so a deadline ends the thread and this process never waits on it.

import { Worker } from "node:worker_threads";
import { Aborted } from "../../core/abort.ts";
import { type LineHit, shownLine } from "./line-match.ts";
import { PatternError } from "./pattern.ts";

/** Time that the thread may spend on one search, in all. */
export const MATCH_DEADLINE_MS = 5_000;

/** No more of a line than this is matched. */
const LINE_CHARS = 65_536;

/** Matches files one at a time on a thread of its own. `close` must be called. */
export interface RegexWorker {
  /** Rejects with {@link PatternError} when the deadline passes, and with `Aborted` on cancellation. */
  readonly match: (bytes: Uint8Array, maxHits: number) => Promise<readonly LineHit[]>;
  readonly close: () => Promise<void>;
}

interface WorkerSettings {
  readonly source: string;
  readonly flags: string;
  readonly lineChars: number;
}

interface Job {
  readonly bytes: Uint8Array;
  readonly maxHits: number;
}

type Port = import("node:worker_threads").MessagePort;

// This function's text is the whole program of the thread: it can use nothing from outside itself. A separate file
// would need its own entry in every bundle.
function workerMain(port: Port, settings: WorkerSettings): void {
  const pattern = new RegExp(settings.source, settings.flags);
  port.on("message", (job: Job) => {
    const hits: LineHit[] = [];
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(job.bytes);
    let start = 0;
    for (let line = 1; start < text.length && hits.length < job.maxHits; line++) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline;
      const contentEnd = end > start && text[end - 1] === "\r" ? end - 1 : end;
      if (pattern.test(text.slice(start, Math.min(contentEnd, start + settings.lineChars)))) {
        hits.push({ line, text: text.slice(start, end) });
      }
      start = end + 1;
    }
    port.postMessage(hits);
  });
}

/** Starts the thread. Throws {@link PatternError} when JavaScript cannot compile the pattern. */
export function startRegexWorker(source: string, ignoreCase: boolean, signal: AbortSignal): RegexWorker {
  const { body, inlineFlags } = splitInlineFlags(source);
  const flags = compilableFlags(body, ignoreCase || inlineFlags.includes("i") ? "i" : "");
  const settings: WorkerSettings = { source: body, flags, lineChars: LINE_CHARS };
  const program = `const { parentPort, workerData } = require("node:worker_threads");
(${workerMain.toString()})(parentPort, workerData);`;
  const worker = new Worker(program, { eval: true, workerData: settings, env: {}, execArgv: [] });
  let leftMs = MATCH_DEADLINE_MS;

  const match = (bytes: Uint8Array, maxHits: number): Promise<readonly LineHit[]> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Aborted());
      const started = performance.now();
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        worker.removeListener("message", onMessage);
        worker.removeListener("error", onError);
        leftMs -= performance.now() - started;
      };
      const onMessage = (hits: readonly LineHit[]): void => {
        finish();
        resolve(hits.map(({ line, text }) => ({ line, text: shownLine(text) })));
      };
      const onError = (error: unknown): void => {
        finish();
        reject(error);
      };
      const onAbort = (): void => onError(new Aborted());
      const timer = setTimeout(
        () => onError(new PatternError(`it takes over ${MATCH_DEADLINE_MS / 1_000} seconds. Simplify it.`)),
        Math.max(0, leftMs),
      );
      worker.once("message", onMessage);
      worker.once("error", onError);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.postMessage({ bytes, maxHits } satisfies Job);
    });

  return {
    match,
    close: async () => {
      await worker.terminate();
    },
  };
}

/** The linear dialect writes flags as an opening `(?i)`, which JavaScript has not. */
function splitInlineFlags(source: string): { readonly body: string; readonly inlineFlags: string } {
  const [opening = "", inlineFlags = ""] = /^\(\?([imsu]+)\)/.exec(source) ?? [];
  return { body: source.slice(opening.length), inlineFlags };
}

// Unicode mode where it compiles: there a character is a code point, and case folds as in ripgrep. It forbids some
// needless escapes that people write, so those patterns do without.
function compilableFlags(source: string, flags: string): string {
  if (compiles(source, `${flags}u`) === undefined) return `${flags}u`;
  const problem = compiles(source, flags);
  if (problem !== undefined) throw new PatternError(problem);
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
