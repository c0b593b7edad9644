// Starts, times, stops and reports the background tasks that features registered. A task acts only through its
// context; what it throws becomes a fault under its owner's name.

import { delay, monotonicMs, type SessionScope } from "indusagi/core";
import type { InstalledTask } from "../install.ts";
import type { FeatureFault } from "../install-report.ts";
import { SupervisedTask, type TaskClock, type TaskReport } from "./supervised-task.ts";

export { inWords } from "./restart-pause.ts";
export type { TaskClock, TaskReport, TaskState } from "./supervised-task.ts";

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

const MACHINE_CLOCK: TaskClock = { nowMs: monotonicMs, wait: delay, random: Math.random };

export function createTaskSupervisor({
  tasks,
  session,
  onFault,
  clock = MACHINE_CLOCK,
}: TaskSupervisorDeps): TaskSupervisor {
  const supervise = (task: InstalledTask): SupervisedTask =>
    new SupervisedTask(task, { session, onFault, clock });
  let supervised: readonly SupervisedTask[] = tasks.map(supervise);
  return {
    start: () => supervised.forEach(beginAtStart),
    add(more) {
      const added = more.map(supervise);
      supervised = [...supervised, ...added];
      added.forEach(beginAtStart);
    },
    async remove(feature) {
      const gone = supervised.filter(({ task }) => task.feature === feature);
      supervised = supervised.filter((each) => !gone.includes(each));
      await Promise.all(gone.map((each) => each.end()));
    },
    run(id) {
      const found = supervised.find(({ task }) => task.id === id);
      if (!found) return `Task not found: "${id}".`;
      if (found.isRunning) return `The task "${id}" is already running.`;
      found.begin();
      return undefined;
    },
    report: () => supervised.map((each) => each.report()),
    async dispose() {
      await Promise.all(supervised.map((each) => each.end()));
    },
  };
}

function beginAtStart(supervised: SupervisedTask): void {
  if (supervised.task.activation === "session") supervised.begin();
}
