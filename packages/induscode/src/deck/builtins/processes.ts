// Background jobs, and the task that notifies the model when one has ended, so that it need not keep polling.

import { JOBS, type JobView, type ShellToolOptions } from "indusagi/capabilities";
import type { FeatureModule } from "../../feature/install.ts";
import { toolsOf } from "./tools.ts";

const TASK = "job-watch";

export function processesFeature(shell: ShellToolOptions = {}): FeatureModule {
  return {
    descriptor: {
      id: "builtin:processes",
      displayName: "Background jobs",
      runtime: "builtin",
      requestedCapabilities: [
        {
          capability: { kind: "contribute_tool", name: "process" },
          required: true,
          reason: "offers the tool process",
        },
        { capability: { kind: "background_task" }, required: true, reason: "waits for jobs to end" },
        {
          capability: { kind: "model_notification" },
          required: true,
          reason: "notifies the model when a job has ended",
        },
        {
          capability: { kind: "files", read: true, write: true, execute: true },
          required: true,
          reason: "runs commands in the workspace",
        },
      ],
      declaredTools: ["process"],
      declaredCommands: [],
      declaredHooks: [],
      declaredTasks: [TASK],
    },
    install({ tools, tasks }) {
      for (const tool of toolsOf("processes", { shell })) tools.register(tool);
      tasks.register({
        id: TASK,
        description: "notifies the model when a background job has ended",
        activation: "session",
        restart: "never",
        graceMs: 100,
        run: ({ signal, session, notifyModel }) =>
          new Promise((resolve) => {
            const ignore = session
              .get(JOBS)
              ?.onEnd((job) => notifyModel(`${job.id} ended with ${howItEnded(job)}: ${job.command}`));
            const stop = (): void => {
              ignore?.();
              resolve();
            };
            if (signal.aborted) stop();
            else signal.addEventListener("abort", stop, { once: true });
          }),
      });
    },
  };
}

function howItEnded({ exit }: JobView): string {
  if (exit?.signal) return `signal ${exit.signal}`;
  return `exit code ${exit?.code ?? "unknown"}`;
}
