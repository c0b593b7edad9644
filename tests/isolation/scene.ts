// One session's addons, through the product's own door: a hostile one, a declarative one after it, and the bench's good
// one; with everything that the session would hear of them.

import { memoryFs } from "../../packages/indusagi/src/capabilities/index.ts";
import { createSessionScope } from "../../packages/indusagi/src/core/session-scope.ts";
import { assembleAddons } from "../../packages/induscode/src/addons/host.ts";
import {
  createTieredLoader,
  type TieredLoader,
} from "../../packages/induscode/src/addons/kinds/tiered-loader.ts";
import {
  DEFAULT_LIMITS,
  type ProtocolLimits,
} from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import { createHooks, type SessionHooks } from "../../packages/induscode/src/feature/dispatch/hooks.ts";
import {
  createTaskSupervisor,
  type TaskSupervisor,
} from "../../packages/induscode/src/feature/dispatch/tasks.ts";
import { SESSION_HOST, type SessionHost } from "../../packages/induscode/src/feature/host.ts";
import type { FeatureFault } from "../../packages/induscode/src/feature/install-report.ts";
import { createRegistry, type InstalledFeatures } from "../../packages/induscode/src/feature/registry.ts";
import { PATIENCE_MS } from "../support/until.ts";
import type { Bench } from "./bench.ts";
import { HANGING } from "./hook-points.ts";
import { layGood, layHostile, type Order } from "./hostile-addon.ts";

/** What a handler that hangs may take here, in milliseconds. */
export const FENCE_MS = 1_500;
/** The product's limits, but for a shorter patience with what was cancelled, and a rate that every machine exceeds. */
export const LIMITS: ProtocolLimits = { ...DEFAULT_LIMITS, cancelGraceMs: 300, maxMessagesPerSecond: 200 };

/** A line for the person, and whose it is. */
export interface Heard {
  readonly owner: string;
  readonly text: string;
}

export interface Scene {
  readonly workspace: string;
  /** The hostile addon's folder, which its processes name. */
  readonly marker: string;
  /** Loads the addons and commits them; the ids of those that were loaded from the workspace. */
  readonly open: () => Promise<readonly string[]>;
  readonly heard: readonly Heard[];
  /** What a handler may take in this scene, in milliseconds. */
  readonly fenceMs: number;
  readonly features: () => InstalledFeatures;
  readonly hooks: () => SessionHooks;
  readonly tasks: () => TaskSupervisor;
  readonly loader: TieredLoader;
  /** Ends the session's addons. */
  readonly close: () => Promise<void>;
}

/** Nothing runs before it is opened. */
export function createScene(
  bench: Bench,
  order: Order,
  fenceMs: number = HANGING.has(order.behaviour) ? FENCE_MS : PATIENCE_MS,
): Scene {
  const { home, sandbox, good, programs } = bench;
  const workspace = bench.folder();
  const marker = layHostile(workspace, order, programs);
  layGood(workspace);
  const heard: Heard[] = [];
  const hear = (owner: string | undefined, text: string): void =>
    void heard.push({ owner: owner ?? "", text });
  const onFault = ({ owner, message }: FeatureFault): void => hear(owner, message);
  const host: SessionHost = {
    notifyModel: hear,
    alert: hear,
    diagnostic: (feature, severity, text) => hear(feature, `${severity}: ${text}`),
    fs: memoryFs(),
    root: workspace,
    env: {},
  };
  const loader = createTieredLoader({
    workspace,
    home,
    env: {},
    requireSandbox: true,
    sandbox,
    limits: LIMITS,
  });
  const session = createSessionScope();
  session.put(SESSION_HOST, host);
  const registry = createRegistry(host);
  registry.join(session);
  const addons = assembleAddons({
    loader,
    decide: (sources) =>
      Promise.all(
        sources.map(async (source) => {
          const { capabilities } = await loader.describe(source);
          const grants = capabilities.map(({ capability }) => capability);
          return { kind: "trusted" as const, source, hash: hashAddon(source.root), grants };
        }),
      ),
    registry,
  });
  addons.onFault(onFault);
  const opened = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("the scene is not open yet");
    return value;
  };
  let hooks: SessionHooks | undefined;
  let tasks: TaskSupervisor | undefined;
  return {
    workspace,
    marker,
    async open() {
      const { features, loaded, warnings } = await addons.loadAll({ workspace });
      for (const warning of warnings) hear("", warning);
      await registry.add({ module: good.module, grants: good.grants }); // it serves every scene
      hooks = createHooks(features, { deadlineMs: fenceMs, onGateFailure: "allow", onFault, session });
      tasks = createTaskSupervisor({ tasks: features.tasks, session, onFault });
      return loaded;
    },
    heard,
    fenceMs,
    features: () => opened(addons.registry()),
    hooks: () => opened(hooks),
    tasks: () => opened(tasks),
    loader,
    close: addons.dispose,
  };
}
