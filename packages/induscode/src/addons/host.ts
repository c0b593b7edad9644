// The assembly point of addons (seeds 000 and 002): discover, decide, load, commit. Every failure is a fault with its
// owner, heard by listeners and never thrown. It commits through the feature registry and keeps no registry of its own.

import { availableParallelism } from "node:os";
import { createDisposer, type Disposer, deferred, describeError } from "indusagi/core";
import type {
  FeatureDescriptor,
  FeatureInstallReport,
  FeatureModule,
  HostCapability,
} from "../feature/contract.ts";
import type { InstalledFeatures } from "../feature/registry.ts";
import { createAddonNames } from "./addon-names.ts";
import { hashAddon } from "./content-hash.ts";
import {
  type AddonDiscovery,
  type AddonFault,
  type AddonFaultListener,
  type AddonId,
  type AddonSource,
  type LoadedAddon,
  LoaderError,
  type ModuleLoader,
} from "./contract.ts";
import type { TrustDecision } from "./decide-trust.ts";
import { discoverSources } from "./discover.ts";
import { unlookedInWords } from "./look-budget.ts";

/** What an addon holds; undefined for a feature that this host did not load. */
export type AddonGrants = (descriptor: FeatureDescriptor) => readonly HostCapability[] | undefined;

export interface AssemblyDeps {
  readonly loader: ModuleLoader;
  /** Which sources may load, one decision for each, in order. */
  readonly decide: (sources: readonly AddonSource[]) => Promise<readonly TrustDecision[]>;
  /** Commits through the one registry: whoever wires the session puts its built-ins before `modules`. */
  readonly install: (modules: readonly FeatureModule[], grants: AddonGrants) => Promise<InstalledFeatures>;
  /** How many addons load side by side; default: as many as there are cores. */
  readonly atOnce?: number;
}

export interface SkippedAddon {
  readonly source: AddonSource;
  /** What it calls itself. */
  readonly id: AddonId;
  /** A sentence that names the addon and says what to do. */
  readonly reason: string;
}

/** What came of `loadAll`. */
export interface AssembledAddons {
  /** Everything that was committed: what `install` put before the addons, and the addons. */
  readonly features: InstalledFeatures;
  /** In load order. */
  readonly loaded: readonly AddonId[];
  readonly skipped: readonly SkippedAddon[];
  /** Every fault that listeners have heard so far. */
  readonly faults: readonly AddonFault[];
  /** One line each: keys that were left out, answers that could not be stored. */
  readonly warnings: readonly string[];
  /** Paths of what lies among the addons and is none. */
  readonly strays: readonly string[];
}

export interface AddonAssembly {
  /** Loads every addon that is found and trusted, and commits them in load order. Never rejects because of an addon. */
  readonly loadAll: (where: AddonDiscovery, named?: readonly AddonSource[]) => Promise<AssembledAddons>;
  /** Grafts one addon behind what is loaded; its id, or undefined when it was not trusted or could not be loaded. */
  readonly loadOne: (source: AddonSource) => Promise<AddonId | undefined>;
  /** Hears of every fault from now on. The undo may be called again. */
  readonly onFault: (listener: AddonFaultListener) => Disposer;
  /** Ends what belongs to the addons: their processes. Idempotent, never rejects. */
  readonly dispose: () => Promise<void>;
  /** What is committed; undefined before the first load. */
  readonly registry: () => InstalledFeatures | undefined;
}

/** A host without any addon yet. */
export function assembleAddons(deps: AssemblyDeps): AddonAssembly {
  const listeners = new Set<AddonFaultListener>();
  const faults: AddonFault[] = [];
  const skipped: SkippedAddon[] = [];
  const warnings: string[] = [];
  const loaded: LoadedAddon[] = [];
  const names = createAddonNames();
  const taken = new Map<string, string>();
  // By descriptor and not by id: two addons may claim one id, and neither may hold what the other was granted.
  const grants = new Map<FeatureDescriptor, readonly HostCapability[]>();
  const reported = new WeakSet<FeatureDescriptor>();
  let features: InstalledFeatures | undefined;

  return {
    async loadAll(where, named = []) {
      const discovered = discoverSources(where);
      discovered.faults.forEach(report);
      // What is found and named is one addon, at its first place.
      const byRoot = new Map([...named, ...discovered.found].map((source) => [source.root, source]));
      for (const { root } of discovered.found) byRoot.delete(root);
      await admit([...discovered.found, ...byRoot.values()]);
      const committed = await commit();
      return {
        features: committed,
        loaded: loaded.map(({ id }) => id),
        skipped: [...skipped],
        faults: [...faults],
        warnings: [...warnings],
        strays: discovered.strays,
      };
    },
    async loadOne(source) {
      const before = loaded.length;
      await admit([source]);
      if (loaded.length === before) return undefined;
      await commit();
      return loaded.at(-1)?.id;
    },
    onFault(listener) {
      const entry: AddonFaultListener = (fault) => listener(fault); // one entry each, even for the same function
      listeners.add(entry);
      return createDisposer(() => listeners.delete(entry));
    },
    async dispose() {
      await Promise.all(loaded.map((addon) => addon.dispose?.()));
    },
    registry: () => features,
  };

  async function admit(sources: readonly AddonSource[]): Promise<void> {
    names.know(sources);
    const unlooked: AddonSource[] = [];
    const decisions = await deps.decide(sources);
    const loads = loadSideBySide(decisions.filter((decision) => decision.kind === "trusted"));
    for (const decision of decisions) {
      if (decision.kind === "trusted") await take(decision, loads);
      else if (decision.kind === "unreadable") report(loadFault(decision.source, decision.error));
      else if (decision.kind === "unlooked") unlooked.push(decision.source);
      else skipped.push({ source: decision.source, id: decision.id, reason: decision.reason });
    }
    const [first] = unlooked;
    if (first) skipped.push({ source: first, id: first.id, reason: unlookedInWords(unlooked) });
  }

  /**
   * Their processes start side by side, as many as there are cores. Whatever depends on an order waits for its turn: an addon
   * gets a name that another might have once all before it are taken.
   */
  function loadSideBySide(trusted: readonly Trusted[]): Loads {
    const turns = new Map(trusted.map((decision) => [decision, deferred<void>()]));
    const loads = sideBySide(trusted, deps.atOnce ?? availableParallelism(), async (decision, index) => {
      const { source, hash, grants: granted } = decision;
      const before = trusted[index - 1];
      return deps.loader.load(source, {
        hash,
        grants: granted,
        async name(declared) {
          if (declared !== source.id && before) await turns.get(before)?.promise;
          return names.give(source, declared);
        },
      });
    });
    return new Map(
      trusted.map((decision, index) => [
        decision,
        { addon: loads[index] as Promise<LoadedAddon>, isTaken: () => turns.get(decision)?.resolve() },
      ]),
    );
  }

  async function take(decision: Trusted, loads: Loads): Promise<void> {
    const { source, hash, notStored } = decision;
    const load = loads.get(decision);
    let addon: LoadedAddon | undefined;
    let isTaken = false;
    try {
      addon = await load?.addon;
      if (!addon) return;
      // What was loaded must be what was trusted.
      if (hashAddon(source.root) !== hash)
        throw new LoaderError(
          { kind: "io", path: source.path },
          "it changed while it was loaded; start again",
        );
      const { descriptor } = addon.module;
      const owner = taken.get(descriptor.id);
      if (owner !== undefined) {
        const message = `the addon id "${addon.id}" of ${source.path} is taken by ${owner}`;
        return report({ kind: "conflict", owner: source.id, message });
      }
      taken.set(descriptor.id, source.path);
      grants.set(descriptor, addon.grants);
      loaded.push(addon);
      isTaken = true;
      warnings.push(...addon.warnings, ...(notStored === undefined ? [] : [notStored]));
    } catch (error) {
      report(loadFault(source, error));
    } finally {
      if (!isTaken) await addon?.dispose?.(); // it was loaded and is not wanted: nothing of it stays behind
      load?.isTaken();
    }
  }

  async function commit(): Promise<InstalledFeatures> {
    const modules = loaded.map(({ module }) => module);
    const committed = await deps.install(modules, (descriptor) => grants.get(descriptor));
    features = committed;
    const byId = new Map(
      committed.reports.map((each): [string, FeatureInstallReport] => [each.feature, each]),
    );
    for (const { descriptor } of modules) {
      if (reported.has(descriptor)) continue; // committed again behind a graft: already heard
      reported.add(descriptor);
      byId.get(descriptor.id)?.faults.forEach(report);
    }
    return committed;
  }

  function report(fault: AddonFault): void {
    faults.push(fault);
    for (const listener of listeners) {
      try {
        listener(fault);
      } catch (error) {
        // It must not silence the others, and its own failure must not be lost.
        process.emitWarning(`a listener of addon faults failed: ${describeError(error)}`);
      }
    }
  }
}

type Trusted = TrustDecision & { readonly kind: "trusted" };

/** What becomes of each trusted addon, and how those behind it hear that it has its names. */
type Loads = ReadonlyMap<Trusted, { readonly addon: Promise<LoadedAddon>; readonly isTaken: () => void }>;

/** Begins them in order, no more than `limit` at a time. Each is to be awaited; one that fails holds up no other. */
function sideBySide<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): readonly Promise<Result>[] {
  const waiting = items.map((item, index) => ({ item, index, result: deferred<Result>() }));
  const promises = waiting.map(({ result: { promise } }) => promise);
  for (const promise of promises) promise.catch(() => undefined); // whoever awaits it hears of it, perhaps later
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { item, index, result } = next;
      await work(item, index).then(result.resolve, result.reject);
    }
  };
  for (let lanes = 0; lanes < limit; lanes++) void lane();
  return promises;
}

function loadFault({ id, path }: AddonSource, error: unknown): AddonFault {
  const told = describeError(error);
  const message = error instanceof LoaderError ? told : `${path}: ${told}`;
  const kind = error instanceof LoaderError && error.kind === "register" ? "register" : "load";
  return { kind, owner: id, message, cause: error };
}
