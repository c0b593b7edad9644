// What is loaded, by the path of its content, and under which id.

import type { FeatureId } from "../feature/descriptor.ts";
import type { InstalledFeatures } from "../feature/registry.ts";
import type { AddonId, AddonSource, LoadedAddon } from "./contract.ts";
import type { Trusted } from "./load-side-by-side.ts";

interface Loaded {
  readonly addon: LoadedAddon;
  readonly hash: string;
}

export class LoadedAddons {
  readonly #registry: Pick<InstalledFeatures, "reports">;
  readonly #byRoot = new Map<string, Loaded>();
  readonly #owners = new Map<FeatureId, string>();

  constructor(registry: Pick<InstalledFeatures, "reports">) {
    this.#registry = registry;
  }

  /** The loaded addon at this path, if it is still installed. */
  at({ root }: AddonSource): Loaded | undefined {
    const known = this.#byRoot.get(root);
    const id = known?.addon.module.descriptor.id;
    return this.#registry.reports.some(({ feature }) => feature === id) ? known : undefined; // it may have been removed
  }

  /** Whether it is loaded with this content. */
  isHere({ source, hash }: Trusted): boolean {
    return this.at(source)?.hash === hash;
  }

  /** The path of the other addon that has its id; undefined if it is loaded now. */
  keep(source: AddonSource, addon: LoadedAddon, hash: string): string | undefined {
    const { id } = addon.module.descriptor;
    const owner = this.#owners.get(id);
    if (owner !== undefined && owner !== source.path) return owner;
    this.#owners.set(id, source.path);
    this.#byRoot.set(source.root, { addon, hash });
    return undefined;
  }

  ids(): readonly AddonId[] {
    return [...this.#byRoot.values()].map(({ addon }) => addon.id);
  }
}
