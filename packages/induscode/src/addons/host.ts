// The assembly point of addons: discover, decide, load, commit. Every failure is a fault with its
// owner, passed to listeners and never thrown. It commits through the feature registry and keeps no registry of its own.

import { availableParallelism } from "node:os";
import { type Disposer, describeError, Listeners } from "indusagi/core";
import type { FeatureId } from "../feature/descriptor.ts";
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
import { type Loads, loadSideBySide, type Places, type Trusted } from "./load-side-by-side.ts";
import { LoadedAddons } from "./loaded-addons.ts";
import { createAddonNames } from "./source/addon-names.ts";
import { hashAddon } from "./source/content-hash.ts";
import type { TrustDecision } from "./source/decide-trust.ts";
import { discoverSources } from "./source/discover.ts";
import { unlookedInWords } from "./source/within-look.ts";

export interface AssemblyDeps {
  readonly loader: ModuleLoader;
  /** Which sources may load, one decision for each, in order. */
  readonly decide: (sources: readonly AddonSource[]) => Promise<readonly TrustDecision[]>;
  /** The one registry: whoever wires the session adds its built-ins before anything is loaded. */
  readonly registry: FeatureRegistry;
  /** How many addons load in parallel; default: the number of cores, and those that take longer than two seconds beside them. */
  readonly places?: Places;
}

export interface SkippedAddon {
  readonly source: AddonSource;
  /** The name it declares. */
  readonly id: AddonId;
  /** A sentence that names the addon and says what to do. */
  readonly reason: string;
  /** The person turned it off. */
  readonly isOff?: true | undefined;
}

/** The result of `loadAll`. */
export interface AssembledAddons {
  /** Everything that was committed: what `install` put before the addons, and the addons. */
  readonly features: InstalledFeatures;
  /** In load order. */
  readonly loaded: readonly AddonId[];
  readonly skipped: readonly SkippedAddon[];
  /** Every fault that listeners have received so far. */
  readonly faults: readonly AddonFault[];
  /** One line each: keys that were ignored, answers that could not be stored. */
  readonly warnings: readonly string[];
  /** Paths of entries among the addons that are not addons. */
  readonly strays: readonly string[];
}

export interface AddonAssembly {
  /** Loads every addon that is found and trusted, and commits them in load order. Never rejects because of an addon. */
  readonly loadAll: (where: AddonDiscovery, named?: readonly AddonSource[]) => Promise<AssembledAddons>;
  /**
   * Adds one addon after those already loaded; if one loaded from the same path has changed, it is replaced in its
   * position. Returns its id, or undefined if it was not trusted or could not be loaded.
   */
  readonly loadOne: (source: AddonSource) => Promise<AddonId | undefined>;
  /** Passes every fault from now on to the listener. The returned undo may be called repeatedly. */
  readonly onFault: (listener: AddonFaultListener) => Disposer;
  /** Ends what belongs to the addons: their processes. Idempotent, never rejects. */
  readonly dispose: () => Promise<void>;
  /** What is committed; undefined before the first load. */
  readonly registry: () => InstalledFeatures | undefined;
}

/** A host without any addon yet. */
export function assembleAddons(deps: AssemblyDeps): AddonAssembly {
  const listeners = new Listeners<AddonFault>((error) =>
    process.emitWarning(`a listener of addon faults failed: ${describeError(error)}`),
  );
  const faults: AddonFault[] = [];
  const skipped: SkippedAddon[] = [];
  const warnings: string[] = [];
  const loaded = new LoadedAddons(deps.registry);
  const names = createAddonNames();
  const hashOf = deps.loader.hashOf ?? (({ root }: AddonSource): string => hashAddon(root));
  const { stillHas = (source, hash) => hashOf(source) === hash } = deps.loader;
  let isOpen = false;

  return {
    async loadAll(where, named = []) {
      const discovered = discoverSources(where, named);
      discovered.faults.forEach(report);
      await admit(discovered.found);
      return {
        features: deps.registry,
        loaded: loaded.ids(),
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
    // A separate entry each time, even for the same function.
    onFault: (listener) => listeners.add((fault) => listener(fault)),
    dispose: deps.registry.dispose,
    registry: () => (isOpen ? deps.registry : undefined),
  };

  /** Loads what is trusted, then commits it in load order; returns the ids of what is loaded now. */
  async function admit(sources: readonly AddonSource[]): Promise<readonly AddonId[]> {
    names.know(sources);
    const unlooked: AddonSource[] = [];
    const decisions = await deps.decide(sources);
    const trusted = decisions.filter((decision) => decision.kind === "trusted");
    const loads = loadSideBySide(
      trusted.filter((decision) => !loaded.isHere(decision)),
      deps.loader,
      names,
      deps.places ?? { atOnce: availableParallelism() },
    );
    const toCommit: (() => Promise<AddonId>)[] = [];
    for (const decision of decisions) {
      if (decision.kind === "trusted") toCommit.push(...(await take(decision, loads)));
      else if (decision.kind === "unreadable") report(loadFault(decision.source, decision.error));
      else if (decision.kind === "unlooked") unlooked.push(decision.source);
      else {
        const { source, id, reason, isOff } = decision;
        skipped.push({ source, id, reason, isOff });
      }
    }
    const [first] = unlooked;
    if (first) skipped.unshift({ source: first, id: first.id, reason: unlookedInWords(unlooked) }); // only the first few are shown
    isOpen = true;
    const admitted: AddonId[] = [];
    for (const commit of toCommit) admitted.push(await commit());
    return admitted;
  }

  /** The remaining work for an addon that could be loaded. */
  async function take(decision: Trusted, loads: Loads): Promise<readonly (() => Promise<AddonId>)[]> {
    const { source, hash, notStored } = decision;
    const load = loads.get(decision);
    const before = loaded.at(source);
    if (!load) return before ? [async () => before.addon.id] : [];
    let addon: LoadedAddon | undefined;
    let isTaken = false;
    try {
      addon = await load.addon;
      warnings.push(...addon.warnings, ...(notStored === undefined ? [] : [notStored]));
      // What was loaded must be what was trusted.
      if (!stillHas(source, hash))
        throw new LoaderError(
          { kind: "io", path: source.path },
          "it changed while it was being loaded; start again",
        );
      const owner = loaded.keep(source, addon, hash);
      if (owner !== undefined) {
        const message = `the addon id "${addon.id}" of ${source.path} is taken by ${owner}`;
        report({ kind: "conflict", owner: source.id, message });
        return [];
      }
      isTaken = true;
      const committed = addon;
      return [() => commit(committed, before?.addon.module.descriptor.id)];
    } catch (error) {
      report(loadFault(source, error));
      return [];
    } finally {
      if (!isTaken) await addon?.dispose?.(); // it was loaded but is not wanted: leave nothing of it behind
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
    listeners.emit(fault);
  }
}

function loadFault({ id, path }: AddonSource, error: unknown): AddonFault {
  const problem = describeError(error);
  const message = error instanceof LoaderError ? problem : `${path}: ${problem}`;
  const kind = error instanceof LoaderError && error.kind === "register" ? "register" : "load";
  return { kind, owner: id, message, cause: error };
}
