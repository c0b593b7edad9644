// The one door (seed 004): every contribution, built in or from an addon, at the start or later, is committed here. What a
// session has of tools, commands, handlers, interceptors and tasks are views of the features that are there now.

import { createDisposer, type Disposer, deferred, type SessionScope } from "indusagi/core";
import { type CommittedFeature, commitFeature, type OfferedFeature } from "./commit-feature.ts";
import type {
  EventSubscription,
  FeatureDescriptor,
  FeatureId,
  FeatureInstallReport,
  FeatureModule,
  HostCapability,
  InstalledCommand,
  InstalledProvider,
  InstalledTask,
  InstalledTool,
  ToolInterceptor,
} from "./contract.ts";
import type { RegistryHost } from "./host.ts";
import { createClaimedNames, RESERVED_ACTION_NAMES } from "./preflight.ts";

export { type CommittedFeature, type OfferedFeature, RESERVED_ACTION_NAMES };

/** What a session is built from, in install order, with one report for each feature. */
export interface InstalledFeatures {
  readonly tools: readonly InstalledTool[];
  readonly commands: readonly InstalledCommand[];
  readonly subscriptions: readonly EventSubscription[];
  readonly interceptors: readonly ToolInterceptor[];
  readonly tasks: readonly InstalledTask[];
  readonly providers: readonly InstalledProvider[];
  readonly reports: readonly FeatureInstallReport[];
}

/** What came and what went. */
export interface RegistryChange {
  readonly added?: CommittedFeature;
  readonly removed?: CommittedFeature;
}

/**
 * Features, for one session or more. Its views are the same objects until the next change; whoever took one goes on with what it
 * began with. Changes happen one after the other, in the order in which they were asked for, and none rejects.
 */
export interface FeatureRegistry extends InstalledFeatures {
  /** Commits a feature after the others. One whose id is there already contributes nothing, as its report says. */
  readonly add: (feature: OfferedFeature) => Promise<FeatureInstallReport>;
  /**
   * Takes a feature out, and answers the report that it had. Its tasks are stopped; what belongs to it is disposed of once
   * the calls that are under way have ended. Its names stay its own.
   */
  readonly remove: (id: FeatureId) => Promise<FeatureInstallReport | undefined>;
  /** Puts a feature in the place of another and in the possession of its names; after the others where there is none. */
  readonly replace: (id: FeatureId, feature: OfferedFeature) => Promise<FeatureInstallReport>;
  /** Whose a tool's name is, or was. */
  readonly ownerOf: (tool: string) => FeatureId | undefined;
  /** Something of the features is at work until the answer is called: what leaves meanwhile is not disposed of before. */
  readonly hold: () => Disposer;
  /**
   * A session works with these features until the answer is called. What a feature does between its calls is done for the
   * first of those that do.
   */
  readonly join: (session: SessionScope) => Disposer;
  /** Hears of each change as soon as the views show it; the change is done when it is. Must not reject. */
  readonly onChange: (listener: (change: RegistryChange) => Promise<void>) => Disposer;
  /** Disposes of every feature, whatever is under way. Never rejects. */
  readonly dispose: () => Promise<void>;
}

/** Answers which of the requested capabilities a feature holds. */
export type GrantPolicy = (descriptor: FeatureDescriptor) => readonly HostCapability[];

/** The policy for features that ship inside the product: they hold what they declare. */
export const grantDeclared: GrantPolicy = (descriptor) =>
  descriptor.requestedCapabilities.map((request) => request.capability);

/** For looking at features: nobody hears them. */
export const NOBODY: RegistryHost = { diagnostic: () => undefined };

/** A registry without any feature yet. No addon gets a command name that is `reserved`. */
export function createRegistry(
  host: RegistryHost = NOBODY,
  reserved: readonly string[] = RESERVED_ACTION_NAMES,
): FeatureRegistry {
  const names = createClaimedNames();
  let features: CommittedFeature[] = [];
  const byId = new Map<FeatureId, CommittedFeature>();
  const leaving = new Set<CommittedFeature>();
  const held = new Set<Promise<void>>();
  const sessions = new Set<SessionScope>();
  const listeners = new Set<(change: RegistryChange) => Promise<void>>();
  let views: InstalledFeatures | undefined;
  let last: Promise<unknown> = Promise.resolve();

  return {
    get tools() {
      return view().tools;
    },
    get commands() {
      return view().commands;
    },
    get subscriptions() {
      return view().subscriptions;
    },
    get interceptors() {
      return view().interceptors;
    },
    get tasks() {
      return view().tasks;
    },
    get providers() {
      return view().providers;
    },
    get reports() {
      return view().reports;
    },
    add: (feature) => inTurn(() => put(feature)),
    remove: (id) =>
      inTurn(async () => {
        const removed = byId.get(id);
        if (removed) await change({ removed });
        return removed?.report;
      }),
    replace: (id, feature) => inTurn(() => put(feature, id)),
    ownerOf: (tool) => names.ownerOf("tool", tool),
    hold,
    join(session) {
      sessions.add(session);
      return createDisposer(() => sessions.delete(session));
    },
    onChange(listener) {
      listeners.add(listener);
      return createDisposer(() => listeners.delete(listener));
    },
    async dispose() {
      await Promise.all([...features, ...leaving].map(({ offered }) => offered.dispose?.()));
    },
  };

  function view(): InstalledFeatures {
    views ??= {
      tools: features.flatMap(({ tools }) => tools),
      commands: features.flatMap(({ commands }) => commands),
      subscriptions: features.flatMap(({ subscriptions }) => subscriptions),
      interceptors: features.flatMap(({ interceptors }) => interceptors),
      tasks: features.flatMap(({ tasks }) => tasks),
      providers: features.flatMap(({ providers }) => providers),
      reports: features.map(({ report }) => report),
    };
    return views;
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function put(feature: OfferedFeature, before?: FeatureId): Promise<FeatureInstallReport> {
    const { id } = feature.module.descriptor;
    if (id !== before && byId.has(id)) return twice(feature);
    if (before !== undefined && before !== id) names.pass(before, id);
    const added = await commitFeature(feature, {
      host,
      names,
      reserved,
      hold,
      session: (wanted) => (wanted && sessions.has(wanted) ? wanted : sessions.values().next().value),
    });
    const removed = before === undefined ? undefined : byId.get(before);
    await change({ added, ...(removed ? { removed } : {}) });
    return added.report;
  }

  async function change(what: RegistryChange): Promise<void> {
    const { added, removed } = what;
    if (removed) {
      byId.delete(removed.report.feature);
      features = features.flatMap((each) => (each === removed ? (added ?? []) : each));
      leaving.add(removed);
      void Promise.all(held)
        .then(() => removed.offered.dispose?.())
        .finally(() => leaving.delete(removed));
    } else if (added) features.push(added);
    if (added) byId.set(added.report.feature, added);
    views = undefined;
    await Promise.all([...listeners].map((listener) => listener(what)));
  }

  function hold(): Disposer {
    const { promise, resolve } = deferred<void>();
    held.add(promise);
    return createDisposer(() => {
      held.delete(promise);
      resolve();
    });
  }
}

/** Of a feature whose id another one has. */
function twice({ module, grants, dispose }: OfferedFeature): FeatureInstallReport {
  const { id, displayName } = module.descriptor;
  const message = `${id} is not installed: another feature of this session has that id`;
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
    faults: [{ kind: "conflict", message, owner: id }],
    installMs: 0,
  };
}

/**
 * A registry with `modules`, committed in order. The first claimant of a name keeps it; a later one is a `conflict`. Never
 * rejects: a module that throws contributes nothing and its report says why. No addon gets a command name that is `reserved`.
 */
export async function installFeatures(
  modules: readonly FeatureModule[],
  grants: GrantPolicy,
  host?: RegistryHost,
  reserved?: readonly string[],
): Promise<FeatureRegistry> {
  const registry = createRegistry(host, reserved);
  for (const module of modules) await registry.add({ module, grants: grants(module.descriptor) });
  return registry;
}
