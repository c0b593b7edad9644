// The one door: every contribution, built in or from an addon, at the start or later, is committed here. A
// session's tools, commands, handlers, interceptors and tasks are views of the features present now.

import { createDisposer, type Disposer, type SessionScope } from "indusagi/core";
import type { FeatureDescriptor, FeatureId, HostCapability } from "./descriptor.ts";
import type { RegistryHost } from "./host.ts";
import type { FeatureModule } from "./install.ts";
import type { FeatureFault, FeatureInstallReport } from "./install-report.ts";
import { type CommittedFeature, commitFeature, type OfferedFeature } from "./registration/commit-feature.ts";
import { taking } from "./registration/contribution-fields.ts";
import {
  type ChangeListener,
  FeatureList,
  type InstalledFeatures,
  type RegistryChange,
} from "./registration/feature-list.ts";
import { createClaimedNames, RESERVED_ACTION_NAMES } from "./registration/preflight.ts";
import { takeModule } from "./registration/take-contribution.ts";

export type { InstalledFeatures, RegistryChange };
export { type CommittedFeature, type OfferedFeature, RESERVED_ACTION_NAMES };

/**
 * The features of one session or more. Its views stay the same objects until the next change; whoever holds one keeps what
 * it started with. Changes happen one after another, in the order requested, and none rejects.
 */
export interface FeatureRegistry extends InstalledFeatures {
  /** Commits a feature after the others. If its id is taken, it contributes nothing, and its report says so. */
  readonly add: (feature: OfferedFeature) => Promise<FeatureInstallReport>;
  /**
   * Removes a feature and returns its report. Its tasks are stopped; what belongs to it is disposed of once the calls in
   * progress have ended. Its names remain its own.
   */
  readonly remove: (id: FeatureId) => Promise<FeatureInstallReport | undefined>;
  /** Puts a feature in another's place and gives it that one's names; adds it at the end when there is none. */
  readonly replace: (id: FeatureId, feature: OfferedFeature) => Promise<FeatureInstallReport>;
  /** Who owns, or owned, a tool's name. */
  readonly ownerOf: (tool: string) => FeatureId | undefined;
  /** Something is using the features until the disposer is called: what leaves meanwhile is not disposed of before then. */
  readonly hold: () => Disposer;
  /**
   * A session works with these features until the disposer is called. What a feature does between its calls is done for the
   * first such session.
   */
  readonly join: (session: SessionScope) => Disposer;
  /** Called for each change as soon as the views show it; the change completes when the listeners have. Must not reject. */
  readonly onChange: (listener: ChangeListener) => Disposer;
  /** Disposes of every feature, whatever is in progress. Never rejects. */
  readonly dispose: () => Promise<void>;
}

/** Decides which of the requested capabilities a feature gets. */
export type GrantPolicy = (descriptor: FeatureDescriptor) => readonly HostCapability[];

/** The policy for features shipped with the product: they hold what they declare. */
export const grantDeclared: GrantPolicy = (descriptor) =>
  descriptor.requestedCapabilities.map((request) => request.capability);

/** For inspecting features: discards what they report. */
export const NOBODY: RegistryHost = { diagnostic: () => undefined };

/** A registry without features. No addon may take a command name in `reserved`. */
export function createRegistry(
  host: RegistryHost = NOBODY,
  reserved: readonly string[] = RESERVED_ACTION_NAMES,
): FeatureRegistry {
  const names = createClaimedNames();
  const list = new FeatureList();
  const sessions = new Set<SessionScope>();
  let unusables = 0;
  let last: Promise<unknown> = Promise.resolve();

  return {
    get tools() {
      return list.views.tools;
    },
    get commands() {
      return list.views.commands;
    },
    get subscriptions() {
      return list.views.subscriptions;
    },
    get interceptors() {
      return list.views.interceptors;
    },
    get tasks() {
      return list.views.tasks;
    },
    get providers() {
      return list.views.providers;
    },
    get reports() {
      return list.views.reports;
    },
    add: (feature) => inTurn(() => put(feature)),
    remove: (id) =>
      inTurn(async () => {
        const removed = list.find(id);
        if (removed) await list.change({ removed });
        return removed?.report;
      }),
    replace: (id, feature) => inTurn(() => put(feature, id)),
    ownerOf: (tool) => names.ownerOf("tool", tool),
    hold: () => list.hold(),
    join(session) {
      sessions.add(session);
      return createDisposer(() => sessions.delete(session));
    },
    onChange: (listener) => list.onChange(listener),
    dispose: () => list.dispose(),
  };

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function put(given: OfferedFeature, before?: FeatureId): Promise<FeatureInstallReport> {
    const module = taking(() => takeModule(given.module));
    if (!module.ok) return unusable(given, module.reason);
    const feature: OfferedFeature = { ...given, module: module.value };
    const { id } = module.value.descriptor;
    if (id !== before && list.find(id))
      return notInstalled(feature, module.value.descriptor, {
        kind: "conflict",
        message: `${id} is not installed: another feature of this session has that id`,
        owner: id,
      });
    if (before !== undefined && before !== id) names.pass(before, id);
    const added = await commitFeature(feature, {
      host,
      names,
      reserved,
      hold: () => list.hold(),
      session: (wanted) => (wanted && sessions.has(wanted) ? wanted : sessions.values().next().value),
    });
    const removed = list.find(before);
    await list.change({ added, removed });
    follow(given, added);
    return added.report;
  }

  /** What it contributes may change by itself: what it offers then takes its place, as long as it is there. */
  function follow(given: OfferedFeature, committed: CommittedFeature): void {
    const { id } = committed.offered.module.descriptor;
    let present: CommittedFeature | undefined = committed;
    given.follow?.((next) =>
      inTurn(async () => {
        if (present === undefined || list.find(id) !== present) {
          await next.dispose?.();
          return;
        }
        await put(next, id);
        present = list.find(id);
      }),
    );
  }

  /** Reported among the others: nobody else would say that it is missing. */
  async function unusable(given: OfferedFeature, reason: string): Promise<FeatureInstallReport> {
    const id: FeatureId = `plugin:unusable-${++unusables}`;
    const message = `a feature is not installed: ${reason}`;
    const report = notInstalled(given, { id, displayName: id }, { kind: "register", message, owner: id });
    await list.change({ added: { ...NOTHING, offered: given, report } });
    return report;
  }
}

const NOTHING = {
  tools: [],
  commands: [],
  subscriptions: [],
  interceptors: [],
  tasks: [],
  providers: [],
} as const;

/** The report of a feature that contributes nothing. */
function notInstalled(
  { grants, dispose }: OfferedFeature,
  { id, displayName }: Pick<FeatureDescriptor, "id" | "displayName">,
  fault: FeatureFault,
): FeatureInstallReport {
  void dispose?.();
  return {
    feature: id,
    displayName,
    enabled: false,
    granted: grants ?? [],
    denied: [],
    tools: [],
    commands: [],
    hooks: [],
    tasks: [],
    skipped: [],
    diagnostics: [],
    faults: [fault],
    installMs: 0,
  };
}

/**
 * A registry with `modules`, committed in order. The first claimant of a name keeps it; a later one is a `conflict`. Never
 * rejects: a module that throws contributes nothing, and its report says why. No addon may take a command name in
 * `reserved`.
 */
export async function installFeatures(
  modules: readonly FeatureModule[],
  grants: GrantPolicy,
  host?: RegistryHost,
  reserved?: readonly string[],
): Promise<FeatureRegistry> {
  const registry = createRegistry(host, reserved);
  for (const module of modules) {
    // What cannot be read gets nothing, and its report says why.
    const read = taking(() => grants(takeModule(module).descriptor));
    await registry.add({ module, grants: read.ok ? read.value : [] });
  }
  return registry;
}
