// Addons that the person names by path, with `--addon` or the setting `addons.paths`: in any location, and trusted like those that are
// found.

import type { AddonSource } from "../../addons/contract.ts";
import type { Flags } from "../../cli/flags.ts";
import { Problem } from "../../cli/problem.ts";
import type { Settings } from "../../settings/load-settings.ts";

export interface NamedAddonPlaces {
  readonly cwd: string;
  /** The product's home folder. */
  readonly home: string;
  /** What `~` stands for. */
  readonly personHome: string;
  /** The base for relative paths. */
  readonly startedIn: string;
}

export interface NamedAddons {
  readonly sources: readonly AddonSource[];
  /** One line for each path in the settings without an addon; not an error, because the file serves every machine and folder. */
  readonly problems: readonly string[];
}

/** Finds the addons at the paths. A flag's path is relative to where the command was started; throws if nothing is there. */
export async function namedAddons(
  { addon = [] }: Flags,
  { addons }: Settings,
  { cwd, home, personHome, startedIn }: NamedAddonPlaces,
): Promise<NamedAddons> {
  const paths = addons?.paths ?? [];
  if (addon.length + paths.length === 0) return { sources: [], problems: [] };
  const { addonAt } = await import("../../addons/author/addon-at.ts");
  const places = { workspace: cwd, home, personHome, base: startedIn };
  const problems: string[] = [];
  const sources = [
    ...addon.map((path) => {
      const found = addonAt(path, places);
      if (!found.ok) throw new Problem(`--addon: ${found.problem}`);
      return found.source;
    }),
    ...paths.flatMap((path) => {
      const found = addonAt(path, places);
      if (!found.ok) problems.push(`addons.paths in your settings: ${found.problem}`);
      return found.ok ? [found.source] : [];
    }),
  ];
  return { sources, problems };
}
