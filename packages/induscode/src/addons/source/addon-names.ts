// What addons are called. Each has a name by its place, which is nobody else's; what it calls itself counts where no other
// addon is called so. So no addon can take another's name, and with it its trust, its log or its guards.

import { basename, extname } from "node:path";
import { type AddonId, type AddonSource, addonId, featureIdOf, type GivenName } from "../contract.ts";
import { isFolder } from "./on-disk.ts";

/** A source before it has a name. */
export type Place = Omit<AddonSource, "id">;

/**
 * The names of places: a folder's own, a file's without its ending. Files that would share one keep their ending
 * (`notes.ts`, `notes.py`), and what is still the same is counted (`notes-2`).
 */
export function nameByPlace(places: readonly Place[]): readonly AddonSource[] {
  const isAlone = new Map<string, boolean>();
  for (const place of places) {
    const name = keyOf(place, shortName(place.root));
    isAlone.set(name, !isAlone.has(name));
  }
  const taken = new Set<string>();
  const take = (place: Place, name: string): AddonId => {
    for (let number = 1; ; number++) {
      const tried = number === 1 ? name : `${name}-${number}`;
      if (taken.has(keyOf(place, tried))) continue;
      taken.add(keyOf(place, tried));
      return addonId(tried);
    }
  };
  const ids = new Map<Place, AddonId>();
  // Names that are nobody else's first: none of them changes because of the others.
  const alone = places.filter((place) => isAlone.get(keyOf(place, shortName(place.root))));
  for (const place of alone) ids.set(place, take(place, shortName(place.root)));
  const others = places.filter((place) => !ids.has(place));
  for (const place of others) ids.set(place, take(place, basename(place.root)));
  return places.map((place) => ({ ...place, id: ids.get(place) ?? addonId(basename(place.root)) }));
}

/** Addons of a repository and those of the person differ in more than their names. */
function keyOf({ scope }: Place, name: string): string {
  return featureIdOf(addonId(name), scope);
}

function shortName(root: string): string {
  const name = basename(root);
  return isFolder(root) ? name : name.slice(0, name.length - extname(name).length);
}

interface AddonNames {
  /** These exist, loaded or not: what they are called by their places is theirs. */
  readonly know: (sources: readonly AddonSource[]) => void;
  /** Gives a name; the first addon that calls itself so gets it. */
  readonly give: (source: AddonSource, declared: AddonId) => GivenName;
}

export function createAddonNames(): AddonNames {
  const byPlace = new Map<string, AddonSource>();
  const given = new Map<string, AddonSource>();
  return {
    know(sources) {
      for (const [key, source] of sourcesByPlace(sources)) if (!byPlace.has(key)) byPlace.set(key, source);
    },
    give(source, declared) {
      const key = featureIdOf(declared, source.scope);
      const owner = ownerByPlace(source, declared, byPlace) ?? given.get(key);
      if (owner === undefined || owner.root === source.root) {
        given.set(key, source);
        return { id: declared };
      }
      const problem = `${source.path} calls itself "${declared}", but so is ${owner.path} called: it is "${source.id}" here`;
      return { id: source.id, problem };
    },
  };
}

/** Sources by what they are called by their places, with their scope. */
export function sourcesByPlace(sources: readonly AddonSource[]): ReadonlyMap<string, AddonSource> {
  return new Map(sources.map((source) => [featureIdOf(source.id, source.scope), source]));
}

/** The other source that is called so by its place. */
export function ownerByPlace(
  source: AddonSource,
  declared: AddonId,
  byPlace: ReadonlyMap<string, AddonSource>,
): AddonSource | undefined {
  const owner = byPlace.get(featureIdOf(declared, source.scope));
  return owner?.root === source.root ? undefined : owner;
}

/** Everything that a person may call an addon: what it is called, its place's name, each alone or with its scope. */
export function namesOf({ id: byPlace, scope }: AddonSource, id: AddonId): readonly string[] {
  return [...new Set([id, featureIdOf(id, scope), byPlace, featureIdOf(byPlace, scope)])];
}

const SCOPE = /^(?:project|user|plugin):/;

/** An addon of which only this was kept. */
export interface KeptAddon {
  /** What it is called, with its scope or without. */
  readonly id: string;
  /** Where its entry lay. */
  readonly path: string;
}

/** Everything that a person may call an addon that was kept by its id and its path. */
export function namesKept({ id, path }: KeptAddon): readonly string[] {
  return [...new Set([id, id.replace(SCOPE, ""), ...placeNames(path)])];
}

/** Those of `kept` that `wanted` names: by what they are called, else by where they lay. A scope counts where both have one. */
export function keptAs<Kept extends KeptAddon>(kept: readonly Kept[], wanted: string): readonly Kept[] {
  const [scope] = SCOPE.exec(wanted) ?? [];
  const name = wanted.replace(SCOPE, "");
  const inScope = kept.filter(({ id }) => {
    const [own] = SCOPE.exec(id) ?? [];
    return scope === undefined || own === undefined || scope === own;
  });
  const called = inScope.filter(({ id }) => id.replace(SCOPE, "") === name);
  return called.length > 0 ? called : inScope.filter(({ path }) => placeNames(path).includes(name));
}

function placeNames(path: string): readonly string[] {
  const steps = path.split(/[\\/]/);
  const folder = steps.lastIndexOf("addons", steps.length - 2);
  const entry = folder > 0 ? (steps[folder + 1] ?? "") : basename(path);
  const below = folder > 0 ? steps.slice(folder + 2).join("/") : "";
  return below === "" ? [entry, entry.slice(0, entry.length - extname(entry).length)] : [entry];
}
