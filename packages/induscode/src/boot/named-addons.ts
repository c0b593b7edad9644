// Addons that the person names by a path, with `--addon` or the setting `addons.paths`: from any place, and trusted like
// those that are found.

import type { AddonSource } from "../addons/contract.ts";
import type { Flags } from "./flags.ts";
import { Problem } from "./problem.ts";
import type { Settings } from "./settings.ts";

export interface NamedAddonPlaces {
  readonly cwd: string;
  /** The product's home folder. */
  readonly home: string;
  /** What `~` stands for. */
  readonly personHome: string;
  /** What a relative path is taken from. */
  readonly startedIn: string;
}

export interface NamedAddons {
  readonly sources: readonly AddonSource[];
  /** One line for each path of the settings where no addon is: the file is for every machine and folder. */
  readonly problems: readonly string[];
}

/** What is found at the paths. A path of a flag is taken from where the command was started; throws where nothing is there. */
export async function namedAddons(
  { addon = [] }: Flags,
  { addons }: Settings,
  { cwd, home, personHome, startedIn }: NamedAddonPlaces,
): Promise<NamedAddons> {
  const paths = addons?.paths ?? [];
  if (addon.length + paths.length === 0) return { sources: [], problems: [] };
  const { addonAt } = await import("../addons/author/addon-at.ts");
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
