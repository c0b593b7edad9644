// Starts, times, stops and reports the background tasks that features registered (seed 004). A task acts only through its
// context; what it throws is a fault with its owner's name.

import { describeError, monotonicMs } from "indusagi/core";
import type { FeatureFault } from "./contract.ts";
import { createServices, createSinks, type FeatureHost } from "./host.ts";
import type { InstalledTask } from "./registry.ts";

export type TaskState = "waiting" | "running" | "ended" | "failed" | "abandoned";

/** What is told of one task. */
export interface TaskReport {
  readonly id: string;
  readonly feature: string;
  readonly description: string;
  readonly state: TaskState;
  readonly starts: number;
  readonly lastFault?: string;
}

export interface TaskSupervisorDeps {
  readonly tasks: readonly InstalledTask[];
  readonly host: FeatureHost;
  readonly onFault: (fault: FeatureFault) => void;
}

export interface TaskSupervisor {
  /** Starts the tasks that run from the session's start. */
  readonly start: () => void;
  /** Starts one task by name; answers why not, or undefined. */
  readonly run: (id: string) => string | undefined;
  readonly report: () => readonly TaskReport[];
  /** Cancels every task and waits for each no longer than its grace period. */
  readonly dispose: () => Promise<void>;
}

/** Restarts of one task before its failures count as final. */
const MAX_RESTARTS = 3;

interface Slot {
  readonly task: InstalledTask;
  state: TaskState;
  starts: number;
  lastFault?: string;
  running?: { readonly controller: AbortController; readonly done: Promise<void> };
}

export function createTaskSupervisor({ tasks, host, onFault }: TaskSupervisorDeps): TaskSupervisor {
  const slots: readonly Slot[] = tasks.map((task) => ({ task, state: "waiting", starts: 0 }));
  let disposed = false;
  return {
    start() {
      for (const slot of slots) if (slot.task.activation === "session") begin(slot);
    },
    run(id) {
      const slot = slots.find(({ task }) => task.id === id);
      if (!slot) return `There is no task "${id}".`;
      if (slot.running) return `The task "${id}" is running.`;
      begin(slot);
      return undefined;
    },
    report: () =>
      slots.map(({ task, state, starts, lastFault }) => ({
        id: task.id,
        feature: task.feature,
        description: task.description,
        state,
        starts,
        ...(lastFault === undefined ? {} : { lastFault }),
      })),
    async dispose() {
      disposed = true;
      await Promise.all(slots.map(end));
    },
  };

  function begin(slot: Slot): void {
    const { task } = slot;
    const controller = new AbortController();
    slot.state = "running";
    slot.starts++;
    const done = attempt(slot, controller.signal).then((failed) => {
      delete slot.running;
      if (failed && task.restart === "onFailure" && slot.starts <= MAX_RESTARTS && !disposed) begin(slot);
    });
    slot.running = { controller, done };
  }

  /** Runs a task to its end; true when it failed. */
  async function attempt(slot: Slot, signal: AbortSignal): Promise<boolean> {
    const { task } = slot;
    try {
      await task.run({ ...createSinks(host, task), services: createServices(host, task), signal });
      slot.state = "ended";
      return false;
    } catch (error) {
      if (signal.aborted) {
        slot.state = "ended"; // told to stop, and stopped by throwing
        return false;
      }
      const message = `The task ${task.id} of ${task.feature} failed: ${describeError(error)}`;
      slot.state = "failed";
      slot.lastFault = message;
      onFault({ kind: "handler", owner: task.feature, message, cause: error });
      return true;
    }
  }

  async function end(slot: Slot): Promise<void> {
    const { task, running } = slot;
    if (!running) return;
    const sinceMs = monotonicMs();
    running.controller.abort();
    const grace = Promise.withResolvers<"late">();
    const timer = setTimeout(() => grace.resolve("late"), task.graceMs);
    const how = await Promise.race([running.done, grace.promise]);
    clearTimeout(timer);
    if (how !== "late") return;
    slot.state = "abandoned";
    const waitedMs = Math.round(monotonicMs() - sinceMs);
    onFault({
      kind: "handler",
      owner: task.feature,
      message: `The task ${task.id} of ${task.feature} did not end within ${waitedMs} ms`,
    });
  }
}
