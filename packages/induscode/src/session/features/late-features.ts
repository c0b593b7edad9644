// What a session does when a feature comes or goes while it runs: a leaving feature's tasks are ended, and an arriving one
// gets `session:start` before its tasks start. What was allowed
// for the session of a tool does not hold for another one of its name.

import { type Disposer, isSameJson } from "indusagi/core";
import type { Permissions } from "../../deck/permissions/permissions.ts";
import type { FenceOptions } from "../../feature/dispatch/fence.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import type { TaskSupervisor } from "../../feature/dispatch/tasks.ts";
import type { FeatureRegistry } from "../../feature/registry.ts";
import type { InstalledTool } from "../../feature/tool.ts";

export interface LateFeaturesDeps {
  readonly registry: FeatureRegistry;
  readonly tasks: TaskSupervisor;
  readonly permissions: Pick<Permissions, "forget">;
  readonly fence: FenceOptions;
  readonly sessionId: () => string;
}

/** Follows changes until the disposer is called. Call it once the session has started. */
export function followFeatures({
  registry,
  tasks,
  permissions,
  fence,
  sessionId,
}: LateFeaturesDeps): Disposer {
  const { signal } = new AbortController();
  return registry.onChange(async ({ added, removed }) => {
    permissions.forget(noLongerSame(removed?.tools ?? [], added?.tools ?? []));
    if (removed) await tasks.remove(removed.report.feature);
    if (!added) return;
    const { dispatch } = createHooks({ ...added, hold: registry.hold }, fence); // the others already got it
    await dispatch.dispatch("session:start", { sessionId: sessionId() }, { signal });
    tasks.add(added.tasks);
  });
}

/** The tools that are described in other words than before, or not there any more. */
function noLongerSame(before: readonly InstalledTool[], now: readonly InstalledTool[]): readonly string[] {
  const described = new Map(now.map(({ tool }) => [tool.name, tool.descriptor()]));
  return before.flatMap(({ tool }) =>
    isSameJson(described.get(tool.name), tool.descriptor()) ? [] : tool.name,
  );
}
