// One background job: its process, what it writes, and how it ended.

import { join } from "node:path";
import { clamp } from "../../core/clamp.ts";
import { monotonicMs } from "../../core/clock.ts";
import type { MaskedStream } from "../../core/secret-mask.ts";
import type { ShellExit, ShellHandle } from "../kernel/contract.ts";
import { JobOutput, type OutputWindow, POLL_WINDOW_BYTES } from "./job-output.ts";

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

export interface JobStreams {
  readonly stdout: JobOutput;
  readonly stderr: JobOutput;
}

/** What is known of a job when it starts. */
interface JobFacts {
  readonly id: string;
  readonly command: string;
  readonly mark: string;
  readonly folder: string;
  readonly handle: ShellHandle;
  readonly pid: number;
  readonly output: JobStreams;
  /** Hides secrets in its output: one may be split across two polls. */
  readonly maskStream: (() => MaskedStream) | undefined;
}

export class BackgroundJob {
  readonly facts: JobFacts;
  exit: ShellExit | undefined;
  /** Set before the first signal of a stop: its end is then not reported. */
  isStopped = false;
  readonly #startedMs = monotonicMs();
  readonly #masks: { readonly stdout: MaskedStream; readonly stderr: MaskedStream } | undefined;

  constructor(facts: JobFacts) {
    this.facts = facts;
    const { maskStream } = facts;
    this.#masks = maskStream && { stdout: maskStream(), stderr: maskStream() };
  }

  view(): JobView {
    const { id, command, pid } = this.facts;
    return { id, command, pid, ageMs: monotonicMs() - this.#startedMs, exit: this.exit };
  }

  /** What it wrote since the last report. */
  async report(): Promise<JobReport> {
    const { folder, output } = this.facts;
    const before = this.view(); // the output read now is final only if the job had already ended
    const isLast = before.exit !== undefined;
    const [stdout, stderr] = await Promise.all([output.stdout.next(isLast), output.stderr.next(isLast)]);
    const masks = this.#masks;
    if (!masks) return { ...before, folder, stdout, stderr };
    return {
      ...before,
      folder,
      stdout: masked(stdout, masks.stdout, isLast),
      stderr: masked(stderr, masks.stderr, isLast),
    };
  }

  async peek(): Promise<JobPeek> {
    const { output } = this.facts;
    // Twice what is shown: a secret that begins earlier is still recognized.
    const [stdout, stderr] = await Promise.all([
      output.stdout.tail(2 * POLL_WINDOW_BYTES),
      output.stderr.tail(2 * POLL_WINDOW_BYTES),
    ]);
    return { ...this.view(), stdout: this.#shown(stdout), stderr: this.#shown(stderr) };
  }

  #shown(text: string): string {
    const mask = this.facts.maskStream?.();
    const masked = mask ? mask.write(text) + mask.end() : text;
    return clamp(masked, { kind: "tail", maxBytes: POLL_WINDOW_BYTES, notice: () => "" });
  }
}

/** Text that may be the beginning of a secret is held back for the next poll. */
function masked(window: OutputWindow, stream: MaskedStream, isLast: boolean): OutputWindow {
  return { ...window, text: stream.write(window.text) + (isLast ? stream.end() : "") };
}

export async function createStreams(folder: string, maxBytes: number): Promise<JobStreams> {
  const stdout = await JobOutput.create(join(folder, "stdout"), maxBytes);
  try {
    return { stdout, stderr: await JobOutput.create(join(folder, "stderr"), maxBytes) };
  } catch (error) {
    await stdout.close();
    throw error;
  }
}
