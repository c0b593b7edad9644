// The command seam without processes: a script defines the answer to each command, and every start is recorded.

import { deferred } from "../../core/deferred.ts";
import { createDisposer } from "../../core/disposable.ts";
import type {
  OutputListener,
  Shell,
  ShellExecOptions,
  ShellExecResult,
  ShellExit,
  ShellLaunchOptions,
} from "../kernel/contract.ts";
import { elisionNotice } from "./elision-notice.ts";
import { type Capture, createCapture } from "./shown-capture.ts";

/** What a command prints and how it ends; a plain text is its standard output. By default it succeeds at once. */
export type ScriptedAnswer =
  | string
  | {
      readonly stdout?: string;
      readonly stderr?: string;
      /** Exit code, 0 by default; not used for a command ended by a signal. */
      readonly code?: number;
      readonly signal?: NodeJS.Signals;
      /** How long it runs, in milliseconds. */
      readonly takesMs?: number;
    };

/** Answers by exact command, or a function. A command without an answer is not found: exit code 127. */
export type ShellScript =
  | Readonly<Record<string, ScriptedAnswer>>
  | ((call: ShellCall) => ScriptedAnswer | undefined);

export interface ShellCall {
  readonly kind: "exec" | "spawn";
  readonly command: string;
  readonly cwd: string;
  /** The overlay only. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
}

export interface MemoryShell extends Shell {
  /** In the order they were started. */
  readonly calls: readonly ShellCall[];
}

const DEFAULT_CAPTURE_BYTES = 262_144; // same as localShell
const FIRST_PID = 1_000;

/** A shell that answers from `script`, with the same signal, timeout and capture rules as the local one. */
export function memoryShell(script: ShellScript = {}): MemoryShell {
  const calls: ShellCall[] = [];
  const start = (call: ShellCall): Run => {
    calls.push(call);
    return new Run(answerTo(script, call));
  };
  return {
    calls,
    exec: (command, options) => exec(options, () => start(describeCall("exec", command, options))),
    spawn: (command, options) => {
      const run = start(describeCall("spawn", command, options));
      run.unref();
      const heard = deliver(run.answer, options.onOutput);
      return {
        pid: FIRST_PID + calls.length,
        kill: (signal = "SIGTERM") => run.end({ code: null, signal }),
        onExit: (listener) => {
          let isListening = true;
          void Promise.all([run.exit, heard]).then(([exit]) => {
            if (isListening) listener(exit);
          });
          return createDisposer(() => {
            isListening = false;
          });
        },
      };
    },
  };
}

// Delivered once the caller has its handle, as with a process.
async function deliver({ stdout, stderr }: FullAnswer, onOutput: OutputListener | undefined): Promise<void> {
  await Promise.resolve();
  if (stdout !== "") await onOutput?.("stdout", Buffer.from(stdout));
  if (stderr !== "") await onOutput?.("stderr", Buffer.from(stderr));
}

interface FullAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ShellExit;
  readonly takesMs: number;
}

/** One command from start to exit. */
class Run {
  readonly answer: FullAnswer;
  readonly exit: Promise<ShellExit>;
  readonly #resolve: (exit: ShellExit) => void;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(answer: FullAnswer) {
    const { promise, resolve } = deferred<ShellExit>();
    this.answer = answer;
    this.exit = promise;
    this.#resolve = resolve;
    this.#timer = answer.takesMs > 0 ? setTimeout(() => resolve(answer.exit), answer.takesMs) : undefined;
    if (this.#timer === undefined) resolve(answer.exit);
  }

  /** Ends it early; does nothing once it has ended. */
  end(exit: ShellExit): void {
    clearTimeout(this.#timer);
    this.#resolve(exit);
  }

  /** Stops it from keeping the host running. */
  unref(): void {
    this.#timer?.unref();
  }
}

// Exits of runs that did not end with their own answer; compared by identity.
const ABORTED: ShellExit = { code: null, signal: "SIGTERM" };
const TIMED_OUT: ShellExit = { code: null, signal: "SIGTERM" };
const NEVER_STARTED: ShellExit = { code: null, signal: null };

async function exec(options: ShellExecOptions, start: () => Run): Promise<ShellExecResult> {
  const { signal, timeoutMs } = options;
  if (signal.aborted) return resultOf(NOTHING, NEVER_STARTED, options);
  const run = start();
  const onAbort = (): void => run.end(ABORTED);
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => run.end(TIMED_OUT), timeoutMs);
  const exit = await run.exit;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return resultOf(run.answer, exit, options);
}

function resultOf(answer: FullAnswer, exit: ShellExit, options: ShellExecOptions): ShellExecResult {
  const stdout = captured(answer.stdout, options);
  const stderr = captured(answer.stderr, options);
  return {
    stdout: stdout.text(elisionNotice),
    stderr: stderr.text(elisionNotice),
    ...exit,
    timedOut: exit === TIMED_OUT,
    aborted: exit === ABORTED || exit === NEVER_STARTED,
    totalBytes: stdout.totalBytes + stderr.totalBytes,
  };
}

function captured(
  text: string,
  { maxCaptureBytes = DEFAULT_CAPTURE_BYTES, isShown = false }: ShellExecOptions,
): Capture {
  const capture = createCapture(maxCaptureBytes, isShown);
  capture.write(Buffer.from(text));
  return capture;
}

const NOTHING: FullAnswer = { stdout: "", stderr: "", exit: { code: null, signal: null }, takesMs: 0 };

function describeCall(
  kind: ShellCall["kind"],
  command: string,
  options: ShellLaunchOptions & { readonly input?: string },
): ShellCall {
  const { cwd, env = {}, input } = options;
  return { kind, command, cwd, env, input };
}

function answerTo(script: ShellScript, call: ShellCall): FullAnswer {
  const answer =
    typeof script === "function"
      ? script(call)
      : Object.hasOwn(script, call.command)
        ? script[call.command]
        : undefined;
  if (answer === undefined) {
    return {
      stdout: "",
      stderr: `sh: ${call.command}: not found\n`,
      exit: { code: 127, signal: null },
      takesMs: 0,
    };
  }
  if (typeof answer === "string") return { ...NOTHING, stdout: answer, exit: { code: 0, signal: null } };
  const { stdout = "", stderr = "", code = 0, signal = null, takesMs = 0 } = answer;
  return { stdout, stderr, exit: signal === null ? { code, signal } : { code: null, signal }, takesMs };
}
