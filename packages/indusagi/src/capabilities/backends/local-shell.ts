// The local command seam: a shell with `-c`, own process group, bounded output, prompt settling.

import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { Duplex, type Readable } from "node:stream";
import { monotonicMs } from "../../core/clock.ts";
import { createDisposer } from "../../core/disposable.ts";
import type {
  ProcessLimits,
  Shell,
  ShellExecOptions,
  ShellExecResult,
  ShellExit,
  ShellHandle,
  ShellLaunchOptions,
  ShellSpawnOptions,
  ShellStream,
} from "../kernel/contract.ts";
import { childEnvironment, type Withheld } from "./child-environment.ts";
import { createCommandMark, MARK_VARIABLE } from "./command-mark.ts";
import { elisionNotice } from "./elision-notice.ts";
import { endEscaped, endEscapedLater } from "./escaped-processes.ts";
import { killOrphans } from "./marked-processes.ts";
import { endGroup, isGroupAlive, signalGroup, startGroup } from "./process-group.ts";
import { type Capture, createCapture } from "./shown-capture.ts";
import type { StartedCommand } from "./started-command.ts";
import { endWaitingEditors, saysEditorOpened } from "./waiting-editors.ts";

const DEFAULT_CAPTURE_BYTES = 262_144;

/** How long to wait for output after the shell has ended, if a process it left running still holds the pipes. */
const PIPE_GRACE_MS = 250;

/** How long to wait for an aborted command before the caller is told; its group is ended either way. */
const ABORT_SETTLE_MS = 60;

export interface LocalShellOptions {
  /** Variables that no child inherits, in addition to those named as credentials. */
  readonly withhold?: Iterable<string>;
  /** Whether a value is, or contains, a known secret: no child inherits it either. */
  readonly holdsSecret?: ((value: string) => boolean) | undefined;
  /** The environment children inherit from; default: this process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The shell that reads a line, with its options; `-c` and the line follow. Default: `/bin/sh`. */
  readonly shell?: readonly string[] | undefined;
  /** How a command line is started; default: by `shell`. Throws if the command must not start. */
  readonly launcher?: CommandLauncher;
  /** Called with each command once it has been started. */
  readonly onStarted?: (command: StartedCommand) => void;
}

/**
 * The program that runs a shell line in `cwd` with these variables, the environment it is started with, and open files of this
 * process that it receives as descriptors 3 and up. They are closed here once it has started.
 */
export type CommandLauncher = (
  command: string,
  launch: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly handles?: readonly number[];
};

/** What a command inherits and what it does not. */
interface Inherited {
  readonly env: NonNullable<LocalShellOptions["env"]>;
  readonly withheld: Withheld;
  readonly shell: readonly string[] | undefined;
  readonly launcher: CommandLauncher | undefined;
  readonly onStarted: LocalShellOptions["onStarted"];
}

/** A shell on this machine; it holds no state. */
export function localShell(options: LocalShellOptions = {}): Shell {
  const { withhold = [], holdsSecret, env = process.env, shell, launcher, onStarted } = options;
  const withheld = { names: new Set(withhold), holdsSecret };
  const inherited: Inherited = { env, withheld, shell, launcher, onStarted };
  return {
    exec: (command, options) => exec(command, options, inherited),
    spawn: (command, options) => spawn(command, options, inherited),
  };
}

/** How long after its first command a host looks for leftovers of ended hosts, in case their reapers were killed. */
const SWEEP_AFTER_MS = 2_000;

let isSweepPlanned = false;

function planSweep(): void {
  if (isSweepPlanned) return;
  isSweepPlanned = true;
  setTimeout(killOrphans, SWEEP_AFTER_MS).unref();
}

/** Memory as RLIMIT_DATA, which only Linux enforces: Node reserves more addresses than it uses. What meets a limit leaves no core file. */
function withinLimits(command: string, limits: ProcessLimits | undefined): string {
  if (limits === undefined) return command;
  const { memoryMb, processorSeconds } = limits;
  // A system that already has a lower limit refuses these. On the same line, so that the shell's messages name the right ones.
  const limiting = ["-c 0", `-d ${memoryMb * 1024}`, `-t ${processorSeconds}`];
  return `${limiting.map((limit) => `ulimit ${limit} 2>/dev/null; `).join("")}${command}`;
}

function exec(given: string, options: ShellExecOptions, inherited: Inherited): Promise<ShellExecResult> {
  const command = withinLimits(given, options.limits);
  const { signal } = options;
  const { maxCaptureBytes = DEFAULT_CAPTURE_BYTES, isShown = false, onShown } = options;
  const capture = (stream: ShellStream): Capture =>
    createCapture(maxCaptureBytes, isShown, onShown && ((text) => onShown(stream, text)));
  const [stdout, stderr] = [capture("stdout"), capture("stderr")];
  let timedOut = false;
  let aborted = signal.aborted;
  const ended = new Set<number>();
  let editors = 0;
  const result = (exit: ShellExit): ShellExecResult => ({
    stdout: stdout.text(elisionNotice),
    stderr: stderr.text(elisionNotice),
    ...exit,
    timedOut,
    aborted,
    totalBytes: stdout.totalBytes + stderr.totalBytes,
    ended: ended.size > 0 ? ended.size : undefined,
    note: editors > 0 ? "An editor that waited for a person was ended." : undefined,
  });
  if (aborted) return Promise.resolve(result({ code: null, signal: null }));

  return new Promise((resolve, reject) => {
    planSweep();
    const mark = options.mark ?? createCommandMark();
    const startedMs = monotonicMs();
    const child = startCommand(command, { ...options, mark }, inherited, [
      options.input === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
    ]);
    const timers: NodeJS.Timeout[] = [];
    let isSettled = false;
    const stopWaiting = (): void => {
      isSettled = true;
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const settle = (exit: ShellExit): void => {
      if (isSettled) return;
      stopWaiting();
      releaseStreams(child);
      if (run && isGroupAlive(run.leader)) endEscapedLater(run);
      resolve(result(exit));
    };
    const run = child.pid === undefined ? undefined : { command, mark, leader: child.pid, startedMs, ended };
    const endAll = (): void => {
      endGroup(child.pid);
      if (run) void endEscaped(run, { isEnding: true });
    };
    const onAbort = (): void => {
      aborted = true;
      endAll();
      timers.push(setTimeout(() => settle({ code: null, signal: "SIGTERM" }), ABORT_SETTLE_MS));
    };
    const onTimeout = (): void => {
      timedOut = true;
      endAll();
    };

    child.stdout?.on("data", (chunk: Buffer) => stdout.write(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr.write(chunk);
      if (saysEditorOpened(chunk)) editors += endWaitingEditors(mark);
    });
    const { onOutput } = options;
    if (onOutput) for (const name of ["stdout", "stderr"] as const) child[name]?.on("data", onOutput);
    child.once("error", (error) => {
      stopWaiting();
      reject(error);
    });
    child.once("exit", (code, exitSignal) => {
      if (isSettled) return;
      const exit = { code, signal: exitSignal };
      const closed = new Promise<void>((close) => {
        // A host that was busy all this time has not read the available output yet: it polls once more before it stops waiting.
        const lookOnce = (): void => void setImmediate(close);
        timers.push(setTimeout(lookOnce, timedOut || aborted ? ABORT_SETTLE_MS : PIPE_GRACE_MS));
        child.once("close", () => close());
      });
      const left = run && endEscaped(run, { isEnding: false });
      void Promise.all([closed, left]).then(() => settle(exit), reject);
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (options.timeoutMs !== undefined) timers.push(setTimeout(onTimeout, options.timeoutMs));
    feed(child, options.input);
  });
}

function startCommand(
  command: string,
  { cwd, env, mark }: ShellLaunchOptions & { readonly mark: string },
  { env: given, withheld, shell, launcher, onStarted }: Inherited,
  stdio: readonly ("ignore" | "pipe")[],
): ChildProcess {
  const own = { ...childEnvironment(given, env, withheld), [MARK_VARIABLE]: mark };
  const startedMs = monotonicMs();
  const started = (child: ChildProcess): ChildProcess => {
    if (child.pid !== undefined) onStarted?.({ mark, leader: child.pid, startedMs });
    endInputOf(child.stdout, child.stderr);
    return child;
  };
  if (!launcher) {
    const line = shell ? [...shell, "-c", command] : command;
    return started(startGroup(line, { cwd, env: own, stdio: [...stdio], isCommand: true }));
  }
  const { argv, handles = [], ...launch } = launcher(command, { cwd, env: own });
  try {
    const how = { cwd, env: launch.env, stdio: [...stdio, ...handles], isCommand: true };
    return started(startGroup(argv, how));
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

// Node's pipes go both ways. Without a terminal, programs that want keys read from where they write to (ex, vim, less): so that ends.
function endInputOf(...streams: readonly (Readable | null)[]): void {
  for (const stream of streams) if (stream instanceof Duplex) stream.end();
}

function feed(child: ChildProcess, input: string | undefined): void {
  const { stdin } = child;
  if (!stdin || input === undefined) return;
  stdin.on("error", () => stdin.destroy()); // a command does not have to read all its input
  stdin.end(input);
}

// A process the command left running keeps its pipe, which is drained and discarded: closing it would kill the process at its
// next line. It no longer keeps the host alive, and ends with the host.
function releaseStreams(child: ChildProcess): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.removeAllListeners("data");
    stream?.resume();
    unref(stream);
  }
  child.unref();
}

function unref(stream: Readable | null): void {
  if (stream !== null && "unref" in stream && typeof stream.unref === "function") stream.unref();
}

function spawn(
  given: string,
  { cwd, env, mark = createCommandMark(), limits, onOutput }: ShellSpawnOptions,
  inherited: Inherited,
): ShellHandle {
  const command = withinLimits(given, limits);
  const output = onOutput ? "pipe" : "ignore";
  const launch = { cwd, mark, env };
  const child = startCommand(command, launch, inherited, ["ignore", output, output]);
  const listeners = new Set<(exit: ShellExit) => void>();
  let ended: ShellExit | undefined;
  const end = (exit: ShellExit): void => {
    if (ended) return;
    ended = exit;
    for (const listener of listeners) listener(exit);
    listeners.clear();
  };
  child.once("exit", (code, signal) => {
    const exit = { code, signal };
    if (!onOutput) return end(exit);
    const grace = setTimeout(end, PIPE_GRACE_MS, exit);
    child.once("close", () => {
      clearTimeout(grace);
      end(exit);
    });
  });
  child.once("error", () => end({ code: null, signal: null })); // the shell could not start: pid is undefined
  if (onOutput) {
    for (const name of ["stdout", "stderr"] as const) deliver(child[name], (chunk) => onOutput(name, chunk));
  }
  child.unref();
  return {
    pid: child.pid,
    kill: (signal = "SIGTERM") => signalGroup(child.pid, signal),
    onExit: (listener) => {
      listeners.add(listener);
      if (ended) {
        const exit = ended;
        queueMicrotask(() => {
          if (listeners.delete(listener)) listener(exit);
        });
      }
      return createDisposer(() => listeners.delete(listener));
    },
  };
}

function deliver(stream: Readable | null, hear: (chunk: Buffer) => Promise<void> | undefined): void {
  stream?.on("data", (chunk: Buffer) => {
    const heard = hear(chunk);
    if (heard === undefined) return;
    stream.pause();
    void heard.finally(() => stream.resume());
  });
  unref(stream);
}
