// The MCP server of a name, in this folder or among the person's own.

import { homeFolder, nearest } from "indusagi/core";
import type { AddonSource } from "../../addons/contract.ts";
import { discoverSources } from "../../addons/source/discover.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { Problem } from "../../cli/problem.ts";
import { namedAddons } from "../../session/features/named-addons.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { indusHome } from "../../store/home.ts";

/** Trusted or not. Throws a {@link Problem} if there is none. */
export async function serverCalled(name: string, line: Invocation): Promise<AddonSource> {
  const { flags, startedIn, env, parts } = line;
  const [cwd, home] = [workingDirectory(line), indusHome(env)];
  const { settings } = await loadSettings(home, cwd, parts);
  const places = { cwd, home, personHome: homeFolder(env), startedIn };
  const { sources } = await namedAddons(flags, settings, places);
  const { found } = discoverSources({ workspace: cwd, home }, sources);
  const source = found.find(({ id, path }) => id === name || path === name);
  if (source) return source;
  const near = nearest(
    name,
    found.map(({ id }) => id),
  );
  const hint = near === undefined ? "indus mcp lists those that are here" : `did you mean "${near}"?`;
  throw new Problem(`there is no MCP server called "${name}" here; ${hint}`);
}
