// The addon that an author names by a path: a file, or a folder with a manifest, a package.json or an index.

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "indusagi/core";
import { addonFolders } from "../../store/home-files.ts";
import { ADDONS_DIR, type AddonScope, type AddonSource } from "../contract.ts";
import { deriveAddonId, discoverAddons, standsForFolder } from "../source/discover.ts";
import { resolvePath } from "../source/path-hygiene.ts";

interface AddonPlaces {
  /** The working directory, as a real path. */
  readonly workspace: string;
  /** The product's home folder. */
  readonly home: string;
  /** What `~` expands to; default: the home folder from the process's environment. */
  readonly personHome?: string;
  /** What a relative path is resolved against; the working directory when absent. */
  readonly base?: string;
}

type FoundAddon =
  | { readonly ok: true; readonly source: AddonSource }
  | { readonly ok: false; readonly problem: string };

/** The source, with the scope its location gives it. Only names are read, no contents. */
export function addonAt(
  path: string,
  { workspace, home, personHome, base = workspace }: AddonPlaces,
): FoundAddon {
  const wanted = resolvePath(path, { base, home: personHome });
  let root: string;
  try {
    const real = realpathSync(wanted);
    root = standsForFolder(real) ? dirname(real) : real; // `pkg/manifest.toml` stands for the folder `pkg`
  } catch {
    return { ok: false, problem: `${wanted} not found: give an addon's file or its folder` };
  }
  const { found, faults } = discoverAddons(dirname(root));
  const entry = found.find((each) => each === root || isInside(root, each));
  if (entry === undefined) {
    const fault = faults.find(({ message }) => message.startsWith(`${root}: `));
    return { ok: false, problem: fault?.message ?? `${root} is not an addon: ${WHAT_IS}` };
  }
  return {
    ok: true,
    source: { id: deriveAddonId(root), path: entry, root, scope: scopeOf(root, workspace, home) },
  };
}

const WHAT_IS =
  "an addon is a folder with a manifest.toml, an index.* or an __init__.py, or a .ts, .js or .py file";

function scopeOf(root: string, workspace: string, home: string): AddonScope {
  if (isInside(join(workspace, ADDONS_DIR), root)) return "project";
  return addonFolders(home).some((folder) => isInside(folder, root)) ? "user" : "explicit";
}
