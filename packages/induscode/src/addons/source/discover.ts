// Where addons are: one level deep, three shapes, sorted, so that load order is the same on every
// machine. Links are never followed: an addon that is trusted by its content must have that content in place.

import { type Dirent, opendirSync, realpathSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { describeError, isInside } from "indusagi/core";
import { addonFolders } from "../../store/home-files.ts";
import { readJsonIfGood } from "../../store/json.ts";
import {
  ADDON_MANIFEST_FIELD,
  ADDONS_DIR,
  type AddonDiscovery,
  type AddonFault,
  type AddonId,
  type AddonScope,
  type AddonSource,
  addonId,
  type Discovered,
  ENTRY_EXTENSIONS,
  MANIFEST_FILENAME,
  PYTHON_EXTENSION,
  PYTHON_INDEX,
} from "../contract.ts";
import { addSources, nameByPlace, type Place } from "./addon-names.ts";
import { exists, isFolder } from "./on-disk.ts";
import { resolvePath } from "./path-hygiene.ts";

/** A folder with more entries than this is refused as a whole: nobody has reviewed that many. */
export const MAX_ENTRIES = 12_000;

const MAX_PACKAGE_JSON_BYTES = 256 * 1024;

/**
 * Every source of `discovery` and then those that the person named, in load order; if two have the same path, the first is kept.
 * Never throws.
 */
export function discoverSources(
  discovery: AddonDiscovery,
  named: readonly AddonSource[] = [],
): Discovered<AddonSource> {
  const { workspace, dir = ADDONS_DIR, home, explicitPaths = [] } = discovery;
  const places = new Map<string, Place>();
  const faults: AddonFault[] = [];
  const strays: string[] = [];
  const add = (path: string, root: string, scope: AddonScope): void => {
    if (!places.has(path)) places.set(path, { path, root, scope });
  };
  const scan = (folder: string, scope: AddonScope): void => {
    const discovered = discoverAddons(folder);
    faults.push(...discovered.faults);
    strays.push(...discovered.strays);
    for (const path of discovered.found) add(path, entryOf(folder, path), scope);
  };

  if (home !== undefined) for (const folder of addonFolders(home)) scan(resolvePath(folder), "user");
  if (workspace !== undefined) {
    const folder = resolve(resolvePath(workspace), dir);
    const outside = leadsOut(folder, resolvePath(workspace));
    if (outside) faults.push(outside);
    else scan(folder, "project");
  }
  for (const path of explicitPaths) {
    const absolute = resolvePath(path, workspace === undefined ? {} : { base: resolvePath(workspace) });
    add(absolute, standsForFolder(absolute) ? dirname(absolute) : absolute, "explicit");
  }
  return { found: addSources(nameByPlace([...places.values()]), named), faults, strays };
}

/** The addons of one folder, as sorted absolute paths. A missing or unreadable folder has none. Never throws. */
export function discoverAddons(dir: string): Discovered<string> {
  const entries = listEntries(dir);
  if (entries.length > MAX_ENTRIES) {
    return {
      found: [],
      strays: [],
      faults: [loadFault(dir, `it has more than ${MAX_ENTRIES} entries; none of its addons is loaded`)],
    };
  }
  const found: string[] = [];
  const faults: AddonFault[] = [];
  const strays: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    const path = join(dir, entry.name);
    const shape = entry.isSymbolicLink() ? LINK : tryRecognise(entry, path);
    if (shape?.kind === "addon") found.push(shape.path);
    else if (shape) faults.push(loadFault(path, shape.problem));
    else strays.push(path);
  }
  return { found: found.sort(), faults, strays };
}

/**
 * A folder's own name; for a conventional `index.*`, an `__init__.py` and a manifest file the name of the enclosing folder;
 * for any other file its name without the extension.
 */
export function deriveAddonId(path: string): AddonId {
  const name = basename(path);
  if (isFolder(path)) return addonId(name);
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  return addonId(standsForFolder(path) ? basename(dirname(path)) : stem);
}

/** Whether a file is its folder's conventional entry, so that the folder as a whole is the addon. */
export function standsForFolder(path: string): boolean {
  const name = basename(path);
  if (name === MANIFEST_FILENAME || name === PYTHON_INDEX) return true;
  const extension = extname(name);
  return name === `index${extension}` && ENTRY_EXTENSIONS.includes(extension);
}

/** The entry of `folder` that contains `path`. */
function entryOf(folder: string, path: string): string {
  const [first = ""] = relative(folder, path).split(sep);
  return join(folder, first);
}

type Shape =
  | { readonly kind: "addon"; readonly path: string }
  | { readonly kind: "unusable"; readonly problem: string };

const LINK: Shape = {
  kind: "unusable",
  problem:
    "it is a symlink, and symlinks among addons are not followed; give the addon's own path instead: --addon PATH, or addons.paths in your settings",
};

function tryRecognise(entry: Dirent, path: string): Shape | undefined {
  try {
    return recognise(entry, path);
  } catch (error) {
    return { kind: "unusable", problem: `it cannot be read: ${describeError(error)}` };
  }
}

/** The shape of one entry; undefined if it is not an addon at all. */
function recognise(entry: Dirent, path: string): Shape | undefined {
  if (entry.isFile()) return isEntryFile(path) ? { kind: "addon", path } : undefined;
  if (!entry.isDirectory()) return undefined;
  if (exists(join(path, MANIFEST_FILENAME))) return { kind: "addon", path };
  const declared = packageEntry(path);
  if (declared !== undefined) return checkEntry(path, declared);
  const indexes = [...ENTRY_EXTENSIONS.map((extension) => `index${extension}`), PYTHON_INDEX];
  const index = indexes.find((name) => exists(join(path, name)));
  return index === undefined ? undefined : checkEntry(path, index);
}

function isEntryFile(path: string): boolean {
  return [...ENTRY_EXTENSIONS, PYTHON_EXTENSION].includes(extname(path));
}

function packageEntry(folder: string): string | undefined {
  const path = join(folder, "package.json");
  if (!exists(path)) return undefined;
  // A package.json that cannot be read declares nothing; `index.*` may still exist.
  const content = readJsonIfGood(path, MAX_PACKAGE_JSON_BYTES) as Record<string, unknown> | null | undefined;
  const field = content?.[ADDON_MANIFEST_FIELD];
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** An entry file must really be inside its own folder: only there does the content hash cover it. */
function checkEntry(folder: string, entry: string): Shape {
  const path = resolve(folder, entry);
  try {
    if (isInside(folder, path) && isInside(realpathSync(folder), realpathSync(path)))
      return { kind: "addon", path };
    return { kind: "unusable", problem: `its entry ${entry} is outside its folder` };
  } catch (error) {
    return { kind: "unusable", problem: `its entry ${entry} cannot be found: ${describeError(error)}` };
  }
}

/** A repository may make `.indus` or `.indus/addons` a link to anywhere. */
function leadsOut(folder: string, workspace: string): AddonFault | undefined {
  if (!isInside(workspace, folder)) return undefined;
  try {
    if (!exists(folder)) return undefined;
    if (isInside(realpathSync(workspace), realpathSync(folder))) return undefined;
    return loadFault(folder, "it is a symlink to outside the workspace; its addons are not loaded");
  } catch (error) {
    return loadFault(folder, `it cannot be followed: ${describeError(error)}`);
  }
}

function listEntries(dir: string): readonly Dirent[] {
  const entries: Dirent[] = [];
  try {
    const folder = opendirSync(dir, { bufferSize: 1024 });
    try {
      for (let entry = folder.readSync(); entry && entries.length <= MAX_ENTRIES; entry = folder.readSync())
        entries.push(entry);
    } finally {
      folder.closeSync();
    }
  } catch {
    return []; // a missing or unreadable folder counts as empty
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function loadFault(path: string, problem: string): AddonFault {
  return { kind: "load", owner: deriveAddonId(path), message: `${path}: ${problem}` };
}
