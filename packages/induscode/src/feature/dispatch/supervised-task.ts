import { describeError, type SessionScope } from "indusagi/core";
import { faultKindOf } from "../fault-kind.ts";
import { MAX_GRACE_MS } from "../handler-limits.ts";
import { createServices, createSinks, SESSION_HOST } from "../host.ts";
import type { InstalledTask } from "../install.ts";
import type { FeatureFault } from "../install-report.ts";
import { NotRunning } from "./fence.ts";
import { inWords, LONGEST_PAUSE_MS, restartPauseMs } from "./restart-pause.ts";
export type TaskState = "waiting" | "running" | "ended" | "failed" | "abandoned";

/** The report of one task. */
export interface TaskReport {
  readonly id: string;
  readonly feature: string;
  readonly description: string;
  readonly state: TaskState;
  readonly starts: number;
  readonly lastFault?: string | undefined;
  /** For a failed task that will be restarted. */
  readonly startsInMs?: number | undefined;
}

/** The clock of the tasks' host. */
export interface TaskClock {
  readonly nowMs: () => number;
  /** Rejects once the signal fires. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}

interface SupervisedDeps {
  /** The session the task works for. */
  readonly session: SessionScope;
  readonly onFault: (fault: FeatureFault) => void;
  readonly clock: TaskClock;
}

/** One background task: it is started, watched, restarted after a pause if it fails, and ended. */
export class SupervisedTask {
  readonly task: InstalledTask;
  readonly #deps: SupervisedDeps;
  #state: TaskState = "waiting";
  #starts = 0;
  /** In a row, without a healthy run between them. */
  #failures = 0;
  #lastFault: string | undefined;
  #running: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  #pause: { readonly controller: AbortController; readonly endsAtMs: number } | undefined;
  /** It will not be restarted. */
  #isOver = false;

  constructor(task: InstalledTask, deps: SupervisedDeps) {
    this.task = task;
    this.#deps = deps;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  report(): TaskReport {
    const { id, feature, description } = this.task;
    const pause = this.#pause;
    return {
      id,
      feature,
      description,
      state: this.#state,
      starts: this.#starts,
      lastFault: this.#lastFault,
      startsInMs: pause && Math.max(0, pause.endsAtMs - this.#deps.clock.nowMs()),
    };
  }

  begin(): void {
    this.#endPause();
    const { clock } = this.#deps;
    const controller = new AbortController();
    const sinceMs = clock.nowMs();
    this.#state = "running";
    this.#starts++;
    const done = this.#attempt(controller.signal).then((failure) => {
      this.#running = undefined;
      if (failure === undefined) return;
      if (this.task.restart !== "onFailure" || this.#isOver) return this.#tell(failure);
      if (clock.nowMs() - sinceMs >= LONGEST_PAUSE_MS) this.#failures = 0;
      this.#failures++;
      this.#restartLater(failure);
    });
    this.#running = { controller, done };
  }

  /** Ends it for good, within its grace period or as abandoned. */
  async end(): Promise<void> {
    const running = this.#running;
    const { clock, onFault } = this.#deps;
    const { id, feature, graceMs: wanted } = this.task;
    this.#isOver = true;
    this.#endPause();
    if (!running) return;
    const graceMs = Math.min(wanted, MAX_GRACE_MS);
    running.controller.abort();
    const stop = new AbortController();
    const late = clock.wait(graceMs, stop.signal).then(
      () => "late" as const,
      () => undefined, // it ended
    );
    const how = await Promise.race([running.done, late]);
    stop.abort();
    if (how !== "late") return;
    this.#state = "abandoned";
    const message = `The task ${id} of ${feature} did not end within ${graceMs} ms`;
    onFault({ kind: "handler", owner: feature, message });
  }

  #endPause(): void {
    this.#pause?.controller.abort();
    this.#pause = undefined;
  }

  /** Runs the task to its end; returns what went wrong. */
  async #attempt(signal: AbortSignal): Promise<Failure | undefined> {
    const { task } = this;
    const { session } = this.#deps;
    try {
      const host = session.get(SESSION_HOST);
      if (!host) throw new Error("there is no session to run in");
      await task.run({ ...createSinks(host, task), services: createServices(host, task), session, signal });
      this.#state = "ended";
      return undefined;
    } catch (error) {
      this.#state = signal.aborted ? "ended" : "failed"; // asked to stop, it may stop by throwing
      return signal.aborted ? undefined : { error, text: describeError(error) };
    }
  }

  /** Restarts the task after the pause, or when somebody asks for it. */
  #restartLater(failure: Failure): void {
    const { clock } = this.#deps;
    const controller = new AbortController();
    const ms = restartPauseMs(this.#failures, clock.random());
    this.#pause = { controller, endsAtMs: clock.nowMs() + ms };
    const what = `. It restarts in ${inWords(ms)}; if it keeps failing like this, only /tasks reports it`;
    this.#tell(failure, what);
    clock.wait(ms, controller.signal).then(
      () => this.begin(),
      () => undefined, // it was started, or the session ended
    );
  }

  /** Reports each kind of failure once in a row; one that repeats at every start appears in the report alone. */
  #tell({ error, text }: Failure, what = ""): void {
    const { id, feature: owner } = this.task;
    const message = `The task ${id} of ${owner} failed: ${text}`;
    const isNew = this.#failures <= 1 || message !== this.#lastFault;
    this.#lastFault = message;
    if (!isNew || error instanceof NotRunning) return; // a feature that is not running was reported when it stopped
    const kind = faultKindOf(error, "handler");
    this.#deps.onFault({ kind, owner, message: `${message}${what}`, cause: error });
  }
}

interface Failure {
  readonly error: unknown;
  readonly text: string;
}
