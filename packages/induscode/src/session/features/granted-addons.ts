// The addons that flags and settings trust without a question, and the notices about grants that match none.

import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { IdleGrant, PersonGrants } from "../../addons/source/person-grants.ts";
import type { Flags } from "../../cli/flags.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { Settings } from "../../settings/load-settings.ts";

export function grantedAddons(
  flags: Flags,
  { addons = {} }: Settings,
  places: { readonly cwd: string; readonly personHome: string },
): PersonGrants {
  const folders = Object.entries(addons.grantIn ?? {}).filter(([folder]) => isSamePlace(folder, places));
  return {
    forRun: flags.grant ?? [],
    lasting: addons.grant ?? [],
    here: folders.flatMap(([, names]) => names),
  };
}

function isSamePlace(
  folder: string,
  { cwd, personHome }: { readonly cwd: string; readonly personHome: string },
): boolean {
  const path = folder === "~" || folder.startsWith("~/") ? join(personHome, folder.slice(1)) : folder;
  try {
    return realpathSync(path) === cwd;
  } catch {
    return false; // a folder in the settings that is gone, or not mounted
  }
}

/** The notices about grants in the settings that match nothing. Throws a {@link Problem} for one that was typed. */
export function idleGrantNotices(idle: readonly IdleGrant[]): readonly string[] {
  const typed = idle.filter(({ from }) => from === "flag");
  if (typed.length > 0)
    throw new Problem(
      typed.map(({ grant, problem }) => `--grant ${JSON.stringify(grant)} ${problem}`).join("\n"),
      EXIT_USAGE,
    );
  return idle.map(({ grant, problem }) => `the grant ${JSON.stringify(grant)} in your settings ${problem}`);
}
