// The assembly point of addons (seeds 000 and 002): discover, decide, load, commit. Every failure is a fault with its
// owner, heard by listeners and never thrown. It commits through the feature registry and keeps no registry of its own.

import { availableParallelism } from "node:os";
import { createDisposer, type Disposer, deferred, describeError } from "indusagi/core";
import type { FeatureId } from "../feature/contract.ts";
import type { FeatureRegistry, InstalledFeatures } from "../feature/registry.ts";
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
import { createAddonNames } from "./source/addon-names.ts";
import { hashAddon } from "./source/content-hash.ts";
import type { TrustDecision } from "./source/decide-trust.ts";
import { discoverSources } from "./source/discover.ts";
import { unlookedInWords } from "./source/look-budget.ts";

export interface AssemblyDeps {
  readonly loader: ModuleLoader;
  /** Which sources may load, one decision for each, in order. */
  readonly decide: (sources: readonly AddonSource[]) => Promise<readonly TrustDecision[]>;
  /** The one registry: whoever wires the session puts its built-ins there before anything is loaded. */
  readonly registry: FeatureRegistry;
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
  /** Paths of what lies among the addons and is not one. */
  readonly strays: readonly string[];
}

export interface AddonAssembly {
  /** Loads every addon that is found and trusted, and commits them in load order. Never rejects because of an addon. */
  readonly loadAll: (where: AddonDiscovery, named?: readonly AddonSource[]) => Promise<AssembledAddons>;
  /**
   * Adds one addon after what is loaded; one that was loaded from there and has changed takes its own place. Its id, or
   * undefined when it was not trusted or could not be loaded.
   */
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
  /** By the place of its content. */
  const loaded = new Map<string, { readonly addon: LoadedAddon; readonly hash: string }>();
  const names = createAddonNames();
  const taken = new Map<string, string>();
  let isOpen = false;

  return {
    async loadAll(where, named = []) {
      const discovered = discoverSources(where);
      discovered.faults.forEach(report);
      // What is found and named is one addon, at its first place.
      const byRoot = new Map([...named, ...discovered.found].map((source) => [source.root, source]));
      for (const { root } of discovered.found) byRoot.delete(root);
      await admit([...discovered.found, ...byRoot.values()]);
      return {
        features: deps.registry,
        loaded: [...loaded.values()].map(({ addon }) => addon.id),
        skipped: [...skipped],
        faults: [...faults],
        warnings: [...warnings],
        strays: discovered.strays,
      };
    },
    async loadOne(source) {
      const [admitted] = await admit([source]);
      return admitted;
    },
    onFault(listener) {
      const entry: AddonFaultListener = (fault) => listener(fault); // one entry each, even for the same function
      listeners.add(entry);
      return createDisposer(() => listeners.delete(entry));
    },
    dispose: deps.registry.dispose,
    registry: () => (isOpen ? deps.registry : undefined),
  };

  /** Loads what is trusted, then commits it in load order; the ids of what is there now. */
  async function admit(sources: readonly AddonSource[]): Promise<readonly AddonId[]> {
    names.know(sources);
    const unlooked: AddonSource[] = [];
    const decisions = await deps.decide(sources);
    const trusted = decisions.filter((decision) => decision.kind === "trusted");
    const loads = loadSideBySide(trusted.filter((decision) => !isHere(decision)));
    const toCommit: (() => Promise<AddonId>)[] = [];
    for (const decision of decisions) {
      if (decision.kind === "trusted") toCommit.push(...(await take(decision, loads)));
      else if (decision.kind === "unreadable") report(loadFault(decision.source, decision.error));
      else if (decision.kind === "unlooked") unlooked.push(decision.source);
      else skipped.push({ source: decision.source, id: decision.id, reason: decision.reason });
    }
    const [first] = unlooked;
    if (first) skipped.push({ source: first, id: first.id, reason: unlookedInWords(unlooked) });
    isOpen = true;
    const admitted: AddonId[] = [];
    for (const commit of toCommit) admitted.push(await commit());
    return admitted;
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

  /** What is there of this place. */
  function presentAt({
    root,
  }: AddonSource): { readonly addon: LoadedAddon; readonly hash: string } | undefined {
    const known = loaded.get(root);
    const isThere = ({ module }: LoadedAddon): boolean =>
      deps.registry.reports.some(({ feature }) => feature === module.descriptor.id);
    return known && isThere(known.addon) ? known : undefined; // it may have been removed
  }

  function isHere({ source, hash }: Trusted): boolean {
    return presentAt(source)?.hash === hash;
  }

  /** What is left to do for one that could be loaded. */
  async function take(decision: Trusted, loads: Loads): Promise<readonly (() => Promise<AddonId>)[]> {
    const { source, hash, notStored } = decision;
    const load = loads.get(decision);
    const before = presentAt(source);
    if (!load) return before ? [async () => before.addon.id] : [];
    let addon: LoadedAddon | undefined;
    let isTaken = false;
    try {
      addon = await load.addon;
      warnings.push(...addon.warnings, ...(notStored === undefined ? [] : [notStored]));
      // What was loaded must be what was trusted.
      if (hashAddon(source.root) !== hash)
        throw new LoaderError(
          { kind: "io", path: source.path },
          "it changed while it was loaded; start again",
        );
      const { id } = addon.module.descriptor;
      const owner = taken.get(id);
      if (owner !== undefined && owner !== source.path) {
        const message = `the addon id "${addon.id}" of ${source.path} is taken by ${owner}`;
        report({ kind: "conflict", owner: source.id, message });
        return [];
      }
      taken.set(id, source.path);
      loaded.set(source.root, { addon, hash });
      isTaken = true;
      const committed = addon;
      return [() => commit(committed, before?.addon.module.descriptor.id)];
    } catch (error) {
      report(loadFault(source, error));
      return [];
    } finally {
      if (!isTaken) await addon?.dispose?.(); // it was loaded and is not wanted: nothing of it stays behind
      load.isTaken();
    }
  }

  async function commit(addon: LoadedAddon, before: FeatureId | undefined): Promise<AddonId> {
    const { registry } = deps;
    const { faults: found } = await (before === undefined
      ? registry.add(addon)
      : registry.replace(before, addon));
    found.forEach(report);
    return addon.id;
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

/** What becomes of each trusted addon, and how those after it hear that it has its names. */
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
  const problem = describeError(error);
  const message = error instanceof LoaderError ? problem : `${path}: ${problem}`;
  const kind = error instanceof LoaderError && error.kind === "register" ? "register" : "load";
  return { kind, owner: id, message, cause: error };
}
