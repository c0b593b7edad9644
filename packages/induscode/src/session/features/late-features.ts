// What a session does when a feature comes or goes while it runs: a leaving feature's tasks are ended, and an arriving one
// gets `session:start` before its tasks start.

import type { Disposer } from "indusagi/core";
import type { FenceOptions } from "../../feature/dispatch/fence.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import type { TaskSupervisor } from "../../feature/dispatch/tasks.ts";
import type { FeatureRegistry } from "../../feature/registry.ts";

export interface LateFeaturesDeps {
  readonly registry: FeatureRegistry;
  readonly tasks: TaskSupervisor;
  readonly fence: FenceOptions;
  readonly sessionId: () => string;
}

/** Follows changes until the disposer is called. Call it once the session has started. */
export function followFeatures({ registry, tasks, fence, sessionId }: LateFeaturesDeps): Disposer {
  const { signal } = new AbortController();
  return registry.onChange(async ({ added, removed }) => {
    if (removed) await tasks.remove(removed.report.feature);
    if (!added) return;
    const { dispatch } = createHooks({ ...added, hold: registry.hold }, fence); // the others already got it
    await dispatch.dispatch("session:start", { sessionId: sessionId() }, { signal });
    tasks.add(added.tasks);
  });
}
