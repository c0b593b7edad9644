// What addons are called. Each has a name derived from its location, which is unique; the name it declares counts only
// where no other addon is called so. So no addon can take another's name, and with it its trust, its log or its guards.

import { basename, extname } from "node:path";
import { type AddonId, type AddonSource, addonId, featureIdOf, type GivenName } from "../contract.ts";
import { isFolder } from "./on-disk.ts";

/** A source before it has a name. */
export type Place = Omit<AddonSource, "id">;

/**
 * Names derived from locations: a folder's own name, a file's name without its extension. Files that would share a name
 * keep their extension (`notes.ts`, `notes.py`), and names that still clash are numbered (`notes-2`).
 */
export function nameByPlace(places: readonly Place[]): readonly AddonSource[] {
  const short = new Map(places.map((place) => [place, shortName(place.root)]));
  const isAlone = new Map<string, boolean>();
  for (const [place, name] of short) {
    const key = keyOf(place, name);
    isAlone.set(key, !isAlone.has(key));
  }
  const taken = new Set<string>();
  const take = (place: Place, name: string): AddonId => {
    const id = freeName(place, name, taken);
    taken.add(keyOf(place, id));
    return id;
  };
  const ids = new Map<Place, AddonId>();
  // Unique names first, so that none of them changes because of the others.
  for (const [place, name] of short) if (isAlone.get(keyOf(place, name))) ids.set(place, take(place, name));
  const others = places.filter((place) => !ids.has(place));
  for (const place of others) ids.set(place, take(place, basename(place.root)));
  return places.map((place) => ({ ...place, id: ids.get(place) ?? addonId(basename(place.root)) }));
}

/** Adds sources from other places. No name that is there changes because of them: theirs are numbered where they clash. */
export function addSources(
  found: readonly AddonSource[],
  others: readonly AddonSource[],
): readonly AddonSource[] {
  const all = [...found];
  for (const source of others) {
    if (all.some(({ root }) => root === source.root)) continue;
    const taken = new Set(all.map((each) => keyOf(each, each.id)));
    all.push({ ...source, id: freeName(source, source.id, taken) });
  }
  return all;
}

function freeName(place: Place, name: string, taken: ReadonlySet<string>): AddonId {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(keyOf(place, tried))) return addonId(tried);
  }
}

/** The scope is part of the key: an addon of a repository and one of the person may share a name. */
function keyOf({ scope }: Place, name: string): string {
  return featureIdOf(addonId(name), scope);
}

function shortName(root: string): string {
  const name = basename(root);
  return isFolder(root) ? name : name.slice(0, name.length - extname(name).length);
}

export interface AddonNames {
  /** Registers sources that exist, loaded or not: the names of their locations belong to them. */
  readonly know: (sources: readonly AddonSource[]) => void;
  /** Assigns a name; the first addon that declares a name gets it. */
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
      const problem = `${source.path} declares the id "${declared}", but ${owner.path} already has it: it is "${source.id}" here`;
      return { id: source.id, problem };
    },
  };
}

/** Sources by the names of their locations, with their scope. */
export function sourcesByPlace(sources: readonly AddonSource[]): ReadonlyMap<string, AddonSource> {
  return new Map(sources.map((source) => [featureIdOf(source.id, source.scope), source]));
}

/** The other source that has this name by its location. */
export function ownerByPlace(
  source: AddonSource,
  declared: AddonId,
  byPlace: ReadonlyMap<string, AddonSource>,
): AddonSource | undefined {
  const owner = byPlace.get(featureIdOf(declared, source.scope));
  return owner?.root === source.root ? undefined : owner;
}

/** Every name a person can use for an addon: its name and its location's name, each with and without its scope. */
export function namesOf({ id: byPlace, scope }: AddonSource, id: AddonId): readonly string[] {
  return [...new Set([id, featureIdOf(id, scope), byPlace, featureIdOf(byPlace, scope)])];
}

const SCOPE = /^(?:project|user|plugin):/;

/** An addon of which only this was stored. */
export interface KeptAddon {
  /** Its name, with or without its scope. */
  readonly id: string;
  /** The path of its entry at that time. */
  readonly path: string;
}

/** Every name a person can use for a stored addon. */
export function namesKept({ id, path }: KeptAddon): readonly string[] {
  return [...new Set([id, id.replace(SCOPE, ""), ...placeNames(path)])];
}

/** The entries of `kept` that `wanted` names: by their names, otherwise by their paths. A scope counts if both have one. */
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
