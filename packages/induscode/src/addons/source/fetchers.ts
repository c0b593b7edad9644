// Programs that fetch what they then run, as configurations of MCP servers name them. The sandbox has neither their cache nor the network.

import { basename } from "node:path";

const FETCHERS: readonly string[] = ["npx", "bunx", "pnpx", "uvx", "pipx", "docker", "podman"];

/** What to do instead of starting a server with `program`; undefined if that is no such program. */
export function fetcherAdvice(program: string): string | undefined {
  const name = basename(program);
  if (!FETCHERS.includes(name)) return undefined;
  const what = CONTAINERS.includes(name) ? "starts a container" : "fetches a program at each start";
  return `${name} ${what}, which the sandbox does not allow: install the server into the addon's folder, and name its file in "mcp"`;
}

const CONTAINERS: readonly string[] = ["docker", "podman"];
