// Starts, times, stops and reports the background tasks that features registered. A task acts only through its
// context; what it throws becomes a fault under its owner's name.

import { delay, describeError, monotonicMs, type SessionScope } from "indusagi/core";
import { faultKindOf } from "./fault-kind.ts";
import { NotRunning } from "./fence.ts";
import { MAX_GRACE_MS } from "./handler-limits.ts";
import { createServices, createSinks, SESSION_HOST } from "./host.ts";
import type { InstalledTask } from "./install.ts";
import type { FeatureFault } from "./install-report.ts";
import { LONGEST_PAUSE_MS, restartPauseMs } from "./restart-pause.ts";

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

export interface TaskSupervisorDeps {
  readonly tasks: readonly InstalledTask[];
  /** The session the tasks work for. */
  readonly session: SessionScope;
  readonly onFault: (fault: FeatureFault) => void;
  /** Default: the machine's clock. */
  readonly clock?: TaskClock | undefined;
}

export interface TaskSupervisor {
  /** Starts the tasks that run from the session's start. */
  readonly start: () => void;
  /** Takes over the tasks of a feature added later, and starts those that run from the session's start. */
  readonly add: (tasks: readonly InstalledTask[]) => void;
  /** Ends a feature's tasks as `dispose` does, and forgets them. */
  readonly remove: (feature: string) => Promise<void>;
  /** Starts one task by name; returns why not, or undefined. */
  readonly run: (id: string) => string | undefined;
  readonly report: () => readonly TaskReport[];
  /** Cancels every task and waits for all in parallel, each no longer than its grace period, which has an upper limit. */
  readonly dispose: () => Promise<void>;
}

/** The clock of the tasks' host. */
export interface TaskClock {
  readonly nowMs: () => number;
  /** Rejects once the signal fires. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}

const MACHINE_CLOCK: TaskClock = { nowMs: monotonicMs, wait: delay, random: Math.random };

interface Slot {
  readonly task: InstalledTask;
  state: TaskState;
  starts: number;
  /** In a row, without a healthy run between them. */
  failures: number;
  lastFault?: string;
  running?: { readonly controller: AbortController; readonly done: Promise<void> };
  pause?: { readonly controller: AbortController; readonly endsAtMs: number };
  /** It will not be restarted. */
  isOver?: true;
}

export function createTaskSupervisor({
  tasks,
  session,
  onFault,
  clock = MACHINE_CLOCK,
}: TaskSupervisorDeps): TaskSupervisor {
  const slotOf = (task: InstalledTask): Slot => ({ task, state: "waiting", starts: 0, failures: 0 });
  let slots: readonly Slot[] = tasks.map(slotOf);
  return {
    start: () => slots.forEach(beginAtStart),
    add(more) {
      const added = more.map(slotOf);
      slots = [...slots, ...added];
      added.forEach(beginAtStart);
    },
    async remove(feature) {
      const gone = slots.filter(({ task }) => task.feature === feature);
      slots = slots.filter((slot) => !gone.includes(slot));
      await Promise.all(gone.map(end));
    },
    run(id) {
      const slot = slots.find(({ task }) => task.id === id);
      if (!slot) return `Task not found: "${id}".`;
      if (slot.running) return `The task "${id}" is already running.`;
      begin(slot);
      return undefined;
    },
    report: () =>
      slots.map(({ task, state, starts, lastFault, pause }) => ({
        id: task.id,
        feature: task.feature,
        description: task.description,
        state,
        starts,
        lastFault,
        startsInMs: pause === undefined ? undefined : Math.max(0, pause.endsAtMs - clock.nowMs()),
      })),
    async dispose() {
      await Promise.all(slots.map(end));
    },
  };

  function beginAtStart(slot: Slot): void {
    if (slot.task.activation === "session") begin(slot);
  }

  function begin(slot: Slot): void {
    slot.pause?.controller.abort();
    delete slot.pause;
    const controller = new AbortController();
    const sinceMs = clock.nowMs();
    slot.state = "running";
    slot.starts++;
    const done = attempt(slot, controller.signal).then((failure) => {
      delete slot.running;
      if (failure === undefined || slot.task.restart !== "onFailure" || slot.isOver)
        return failure && tell(slot, failure);
      if (clock.nowMs() - sinceMs >= LONGEST_PAUSE_MS) slot.failures = 0;
      slot.failures++;
      pauseAfter(slot, failure);
    });
    slot.running = { controller, done };
  }

  /** Runs a task to its end; returns what went wrong. */
  async function attempt(slot: Slot, signal: AbortSignal): Promise<Failure | undefined> {
    const { task } = slot;
    try {
      const host = session.get(SESSION_HOST);
      if (!host) throw new Error("there is no session to run in");
      await task.run({ ...createSinks(host, task), services: createServices(host, task), session, signal });
      slot.state = "ended";
      return undefined;
    } catch (error) {
      if (signal.aborted) {
        slot.state = "ended"; // asked to stop, and stopped by throwing
        return undefined;
      }
      slot.state = "failed";
      return { error, text: describeError(error) };
    }
  }

  /** Restarts the task after the pause, or when somebody asks for it. */
  function pauseAfter(slot: Slot, failure: Failure): void {
    const controller = new AbortController();
    const ms = restartPauseMs(slot.failures, clock.random());
    slot.pause = { controller, endsAtMs: clock.nowMs() + ms };
    tell(
      slot,
      failure,
      `. It restarts in ${inWords(ms)}; if it keeps failing like this, only /tasks reports it`,
    );
    clock.wait(ms, controller.signal).then(
      () => begin(slot),
      () => undefined, // it was started, or the session ended
    );
  }

  /** Reports each kind of failure once in a row; one that repeats at every start appears in the report alone. */
  function tell(slot: Slot, { error, text }: Failure, what = ""): void {
    const { task, lastFault } = slot;
    const message = `The task ${task.id} of ${task.feature} failed: ${text}`;
    slot.lastFault = message;
    const isNew = slot.failures <= 1 || message !== lastFault;
    if (!isNew || error instanceof NotRunning) return; // a feature that is not running was reported when it stopped
    onFault({
      kind: faultKindOf(error, "handler"),
      owner: task.feature,
      message: `${message}${what}`,
      cause: error,
    });
  }

  async function end(slot: Slot): Promise<void> {
    const { task, running } = slot;
    slot.isOver = true;
    slot.pause?.controller.abort();
    delete slot.pause;
    if (!running) return;
    const graceMs = Math.min(task.graceMs, MAX_GRACE_MS);
    running.controller.abort();
    const stop = new AbortController();
    const late = clock.wait(graceMs, stop.signal).then(
      () => "late" as const,
      () => undefined, // it ended
    );
    const how = await Promise.race([running.done, late]);
    stop.abort();
    if (how !== "late") return;
    slot.state = "abandoned";
    onFault({
      kind: "handler",
      owner: task.feature,
      message: `The task ${task.id} of ${task.feature} did not end within ${graceMs} ms`,
    });
  }
}

interface Failure {
  readonly error: unknown;
  readonly text: string;
}

/** For people: `850 ms`, `4 s`, `5 min`. */
export function inWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}
