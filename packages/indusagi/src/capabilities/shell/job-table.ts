// The background jobs of one session: start, inspect, end. Whatever ends the session ends its jobs.

import { Aborted } from "../../core/abort.ts";
import { type Disposer, Listeners } from "../../core/disposable.ts";
import type { MaskedStream } from "../../core/secret-mask.ts";
import { type SessionKey, sessionKey } from "../../core/session-scope.ts";
import { createCommandMark } from "../backends/command-mark.ts";
import type { ToolContext } from "../kernel/contract.ts";
import {
  BackgroundJob,
  createStreams,
  type JobPeek,
  type JobReport,
  type JobStreams,
  type JobView,
} from "./background-job.ts";
import { armExit, disarmExit, endJobs } from "./job-end.ts";
import { createJobFolder, removeJobFolder, sweepJobs } from "./job-scratch.ts";

const MAX_LIVE_JOBS = 32;
/** Bytes kept on disk for one job, half for each stream. */
const MAX_CAPTURE_BYTES = 67_108_864;

// A finished job keeps its capture until it is stopped; a model may forget to stop it.
const MAX_FINISHED_JOBS = 32;

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

const NEVER = new AbortController().signal;

export function createJobTable(options: JobTableOptions = {}): JobTable {
  const { signal, maxLiveJobs = MAX_LIVE_JOBS, maxCaptureBytes = MAX_CAPTURE_BYTES, maskStream } = options;
  const jobs = new Map<string, BackgroundJob>();
  const ends = new Listeners<JobView>((error) =>
    process.emitWarning(error instanceof Error ? error : String(error)),
  );
  const swept = new Map<string, Promise<unknown>>();
  let starting = 0;
  let lastNumber = 0;
  let isOver = signal?.aborted ?? false;
  signal?.addEventListener("abort", () => void dispose(), { once: true });

  return {
    start,
    list: () => [...jobs.values()].map((job) => job.view()),
    poll: async (id) => jobs.get(id)?.report(),
    peek: async (id) => jobs.get(id)?.peek(),
    stop,
    onEnd: (listener) => ends.add(listener),
    dispose,
  };

  async function start(command: string, context: ToolContext): Promise<JobView | JobProblem> {
    if (isOver) return { problem: "This session has ended: no job can be started." };
    const live = [...jobs.values()].filter((job) => job.exit === undefined).length + starting;
    if (live >= maxLiveJobs) {
      return { problem: `${live} jobs are running, which is the limit. Stop one that is not needed.` };
    }
    const job = await launch(command, context);
    return job ? job.view() : { problem: `Cannot start a shell in ${context.cwd}.` };
  }

  /** Undefined when no shell is available. */
  async function launch(
    command: string,
    { cwd, shell, signal }: ToolContext,
  ): Promise<BackgroundJob | undefined> {
    const mark = createCommandMark();
    let folder: string | undefined;
    let output: JobStreams | undefined;
    let job: BackgroundJob | undefined;
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
      job = add(new BackgroundJob({ id, command, mark, folder, handle, pid, output, maskStream }));
      return job;
    } finally {
      starting--;
      if (job === undefined && folder !== undefined) await release(folder, output);
    }
  }

  function add(job: BackgroundJob): BackgroundJob {
    const { id, handle } = job.facts;
    handle.onExit((exit) => {
      job.exit = exit;
      if (!job.isStopped) ends.emit(job.view());
    });
    jobs.set(id, job);
    armExit(jobs);
    return job;
  }

  async function stop(id: string, hurry: AbortSignal): Promise<JobView | undefined> {
    const job = jobs.get(id);
    const before = job?.view();
    if (job) await drop([job], hurry);
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
  async function drop(doomed: readonly BackgroundJob[], hurry: AbortSignal): Promise<void> {
    for (const job of doomed) job.isStopped = true;
    await endJobs(doomed, hurry);
    for (const job of doomed) {
      const { id, folder, output } = job.facts;
      jobs.delete(id);
      await release(folder, output);
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

async function release(folder: string, output: JobStreams | undefined): Promise<void> {
  await Promise.all([output?.stdout.close(), output?.stderr.close()]);
  await removeJobFolder(folder);
}
