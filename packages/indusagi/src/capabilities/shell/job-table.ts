// The background jobs of one session: start, inspect, end. Whatever ends the session ends its jobs.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Aborted } from "../../core/abort.ts";
import { clamp } from "../../core/clamp.ts";
import { monotonicMs } from "../../core/clock.ts";
import { type Disposer, Listeners } from "../../core/disposable.ts";
import type { MaskedStream } from "../../core/secret-mask.ts";
import { type SessionKey, sessionKey } from "../../core/session-scope.ts";
import { createCommandMark } from "../backends/command-mark.ts";
import { killMarked, signalMarked } from "../backends/marked-processes.ts";
import type { ShellExit, ShellHandle, ToolContext } from "../kernel/contract.ts";
import { JobOutput, type OutputWindow, POLL_WINDOW_BYTES } from "./job-output.ts";
import { createJobFolder, removeJobFolder, sweepJobs } from "./job-scratch.ts";

const MAX_LIVE_JOBS = 32;
/** Bytes kept on disk for one job, half for each stream. */
const MAX_CAPTURE_BYTES = 67_108_864;

// A finished job keeps its capture until it is stopped; a model may forget to stop it.
const MAX_FINISHED_JOBS = 32;

/** How long a job has after SIGTERM before SIGKILL. */
const TERM_GRACE_MS = 1_000;
const LOOK_AGAIN_MS = 20;

export interface JobTableOptions {
  /** The session's signal; when it fires, every job is ended and no more can start. */
  readonly signal?: AbortSignal;
  /** Default {@link MAX_LIVE_JOBS}. */
  readonly maxLiveJobs?: number;
  /** Default {@link MAX_CAPTURE_BYTES}. */
  readonly maxCaptureBytes?: number;
  /** Hides secrets in a job's output: one may be split across two polls. */
  readonly maskStream?: () => MaskedStream;
}

/** The current state of one job. */
export interface JobView {
  /** `job-1`, `job-2`, … */
  readonly id: string;
  readonly command: string;
  readonly pid: number;
  readonly ageMs: number;
  /** How it ended; undefined while it runs. */
  readonly exit: ShellExit | undefined;
}

export interface JobReport extends JobView {
  /** Where what is kept of each stream is, in a file of its name. */
  readonly folder: string;
  readonly stdout: OutputWindow;
  readonly stderr: OutputWindow;
}

/** The end of both streams of a job. */
export interface JobPeek extends JobView {
  readonly stdout: string;
  readonly stderr: string;
}

/** A failure that the model can act on. */
export interface JobProblem {
  readonly problem: string;
}

/** The background jobs of a session. */
export const JOBS: SessionKey<JobTable> = sessionKey("jobs");

export interface JobTable {
  /** Starts `command` in the context's folder. Rejects with a system error when its output cannot be stored anywhere. */
  readonly start: (command: string, context: ToolContext) => Promise<JobView | JobProblem>;
  /** Every job not yet dropped, in start order. */
  readonly list: () => readonly JobView[];
  /** What the job wrote since the last poll, and its state. */
  readonly poll: (id: string) => Promise<JobReport | undefined>;
  /** The end of the job's output, for a person; does not affect what the next poll returns. */
  readonly peek: (id: string) => Promise<JobPeek | undefined>;
  /** Ends every process of the job and drops it; returns its state from before. `hurry` skips the grace period. */
  readonly stop: (id: string, hurry: AbortSignal) => Promise<JobView | undefined>;
  /** Reports each later job that ends by itself, once; stopped jobs are not reported. */
  readonly onEnd: (listener: (job: JobView) => void) => Disposer;
  /** Ends and drops every job; no other can be started. Takes at most about two seconds and never rejects. */
  readonly dispose: () => Promise<void>;
}

interface Job {
  readonly id: string;
  readonly command: string;
  readonly mark: string;
  readonly folder: string;
  readonly handle: ShellHandle;
  readonly pid: number;
  readonly startedMs: number;
  readonly output: JobStreams;
  readonly masks: { readonly stdout: MaskedStream; readonly stderr: MaskedStream } | undefined;
  exit: ShellExit | undefined;
  /** Set before the first signal of a stop: its end is then not reported. */
  isStopped: boolean;
}

interface JobStreams {
  readonly stdout: JobOutput;
  readonly stderr: JobOutput;
}

const NEVER = new AbortController().signal;

export function createJobTable(options: JobTableOptions = {}): JobTable {
  const { signal, maxLiveJobs = MAX_LIVE_JOBS, maxCaptureBytes = MAX_CAPTURE_BYTES, maskStream } = options;
  const jobs = new Map<string, Job>();
  const ends = new Listeners<JobView>((error) =>
    process.emitWarning(error instanceof Error ? error : String(error)),
  );
  const swept = new Map<string, Promise<unknown>>();
  let starting = 0;
  let lastNumber = 0;
  let isOver = signal?.aborted ?? false;
  signal?.addEventListener("abort", () => void dispose(), { once: true });

  return { start, list, poll, peek, stop, onEnd: (listener) => ends.add(listener), dispose };

  async function start(command: string, context: ToolContext): Promise<JobView | JobProblem> {
    if (isOver) return { problem: "This session has ended: no job can be started." };
    const live = [...jobs.values()].filter((job) => job.exit === undefined).length + starting;
    if (live >= maxLiveJobs) {
      return { problem: `${live} jobs are running, which is the limit. Stop one that is not needed.` };
    }
    const job = await launch(command, context);
    return job ? view(job) : { problem: `Cannot start a shell in ${context.cwd}.` };
  }

  /** Undefined when no shell is available. */
  async function launch(command: string, { cwd, shell, signal }: ToolContext): Promise<Job | undefined> {
    const mark = createCommandMark();
    let folder: string | undefined;
    let output: JobStreams | undefined;
    let job: Job | undefined;
    starting++;
    try {
      await sweepOnce(cwd);
      await dropOldFinished();
      folder = await createJobFolder(cwd, mark);
      output = await createStreams(folder, maxCaptureBytes / 2);
      // Nothing is awaited from here to the table entry, so whatever ends the session either finds the job or prevents it.
      if (isOver || signal.aborted) throw new Aborted();
      const { stdout, stderr } = output;
      const handle = shell.spawn(command, {
        cwd,
        mark,
        onOutput: (stream, chunk) => (stream === "stdout" ? stdout : stderr).append(chunk),
      });
      const { pid } = handle;
      if (pid === undefined) return undefined;
      const id = `job-${++lastNumber}`;
      const startedMs = monotonicMs();
      const started: Job = {
        id,
        command,
        mark,
        folder,
        handle,
        pid,
        startedMs,
        output,
        masks: maskStream && { stdout: maskStream(), stderr: maskStream() },
        exit: undefined,
        isStopped: false,
      };
      handle.onExit((exit) => {
        started.exit = exit;
        if (!started.isStopped) ends.emit(view(started));
      });
      jobs.set(id, started);
      armExit(jobs);
      job = started;
      return job;
    } finally {
      starting--;
      if (job === undefined && folder !== undefined) await release(folder, output);
    }
  }

  function list(): readonly JobView[] {
    return [...jobs.values()].map(view);
  }

  async function poll(id: string): Promise<JobReport | undefined> {
    const job = jobs.get(id);
    if (job === undefined) return undefined;
    const before = view(job); // the output read now is final only if the job had already ended
    const isLast = job.exit !== undefined;
    const [stdout, stderr] = await Promise.all([
      job.output.stdout.next(isLast),
      job.output.stderr.next(isLast),
    ]);
    const { masks, folder } = job;
    if (!masks) return { ...before, folder, stdout, stderr };
    return {
      ...before,
      folder,
      stdout: masked(stdout, masks.stdout, isLast),
      stderr: masked(stderr, masks.stderr, isLast),
    };
  }

  async function peek(id: string): Promise<JobPeek | undefined> {
    const job = jobs.get(id);
    if (job === undefined) return undefined;
    // Twice what is shown: a secret that begins earlier is still recognized.
    const [stdout, stderr] = await Promise.all([
      job.output.stdout.tail(2 * POLL_WINDOW_BYTES),
      job.output.stderr.tail(2 * POLL_WINDOW_BYTES),
    ]);
    return { ...view(job), stdout: shown(stdout), stderr: shown(stderr) };
  }

  function shown(text: string): string {
    const mask = maskStream?.();
    const masked = mask ? mask.write(text) + mask.end() : text;
    return clamp(masked, { kind: "tail", maxBytes: POLL_WINDOW_BYTES, notice: () => "" });
  }

  async function stop(id: string, hurry: AbortSignal): Promise<JobView | undefined> {
    const job = jobs.get(id);
    if (job === undefined) return undefined;
    const before = view(job);
    await drop([job], hurry);
    return before;
  }

  async function dispose(): Promise<void> {
    isOver = true;
    await drop([...jobs.values()], NEVER);
  }

  async function dropOldFinished(): Promise<void> {
    const finished = [...jobs.values()].filter((job) => job.exit !== undefined);
    await drop(finished.slice(0, Math.max(0, finished.length - MAX_FINISHED_JOBS)), NEVER);
  }

  // A job leaves the table last: if the host exited meanwhile, the exit hook would still end it.
  async function drop(doomed: readonly Job[], hurry: AbortSignal): Promise<void> {
    for (const job of doomed) job.isStopped = true;
    await endJobs(doomed, hurry);
    for (const job of doomed) {
      jobs.delete(job.id);
      await release(job.folder, job.output);
    }
    if (jobs.size === 0) disarmExit(jobs);
  }

  // Once per folder: later sweeps would find only what this process made.
  function sweepOnce(cwd: string): Promise<unknown> {
    const known = swept.get(cwd);
    if (known) return known;
    const sweep = sweepJobs(cwd);
    swept.set(cwd, sweep);
    sweep.catch(() => swept.delete(cwd)); // the caller gets the error; the next start tries again
    return sweep;
  }
}

/** Text that may be the beginning of a secret is held back for the next poll. */
function masked(window: OutputWindow, stream: MaskedStream, isLast: boolean): OutputWindow {
  return { ...window, text: stream.write(window.text) + (isLast ? stream.end() : "") };
}

function view({ id, command, pid, startedMs, exit }: Job): JobView {
  return { id, command, pid, ageMs: monotonicMs() - startedMs, exit };
}

async function createStreams(folder: string, maxBytes: number): Promise<JobStreams> {
  const stdout = await JobOutput.create(join(folder, "stdout"), maxBytes);
  try {
    return { stdout, stderr: await JobOutput.create(join(folder, "stderr"), maxBytes) };
  } catch (error) {
    await stdout.close();
    throw error;
  }
}

async function release(folder: string, output: JobStreams | undefined): Promise<void> {
  await Promise.all([output?.stdout.close(), output?.stderr.close()]);
  await removeJobFolder(folder);
}

/** Ends every process of `jobs`: SIGTERM, then SIGKILL after a grace period. */
async function endJobs(jobs: readonly Job[], hurry: AbortSignal): Promise<void> {
  if (jobs.length === 0) return;
  const marks = new Set(jobs.map((job) => job.mark));
  const isMeant = (mark: string): boolean => marks.has(mark);
  const isRunning = (): boolean => jobs.some((job) => job.exit === undefined) || signalMarked(isMeant, 0) > 0;
  const giveTime = async (until: number): Promise<void> => {
    while (!hurry.aborted && monotonicMs() < until && isRunning()) await sleep(LOOK_AGAIN_MS);
  };

  for (const job of jobs) job.handle.kill("SIGTERM");
  signalMarked(isMeant, "SIGTERM");
  await giveTime(monotonicMs() + TERM_GRACE_MS);
  for (const job of jobs) job.handle.kill("SIGKILL");
  killMarked(isMeant);
  await giveTime(monotonicMs() + TERM_GRACE_MS);
}

// A host that exits without disposing of a table ends its jobs on exit, as far as is still possible then.
const armed = new Set<ReadonlyMap<string, Job>>();

function armExit(jobs: ReadonlyMap<string, Job>): void {
  if (armed.size === 0) process.on("exit", endAllNow);
  armed.add(jobs);
}

function disarmExit(jobs: ReadonlyMap<string, Job>): void {
  armed.delete(jobs);
  if (armed.size === 0) process.off("exit", endAllNow);
}

function endAllNow(): void {
  const jobs = [...armed].flatMap((table) => [...table.values()]);
  for (const job of jobs) job.handle.kill("SIGKILL");
  const marks = new Set(jobs.map((job) => job.mark));
  killMarked((mark) => marks.has(mark));
  for (const job of jobs) rmSync(job.folder, { recursive: true, force: true });
}
