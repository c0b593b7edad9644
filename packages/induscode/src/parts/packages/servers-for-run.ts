// `--mcp-config`: the MCP servers of a file, or of the command line, for one run. Each is brought as `indus add` brings it and becomes an
// addon that the run is given by its path: nothing of it starts before the person trusts it.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Aborted, describeError } from "indusagi/core";
import { serversOf } from "../../addons/author/import-server.ts";
import type { Table } from "../../addons/author/imported-shapes.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { serversInFile } from "./fetch-server.ts";
import { type Keeping, keepServer } from "./kept-servers.ts";
import { baseOfServers } from "./server-files.ts";

/** MCP servers of one place. */
export interface ServerList {
  readonly servers: Readonly<Record<string, Table>>;
  /** What relative paths are relative to. */
  readonly base: string;
  /** What a message calls the place; a file by its path. */
  readonly said: string;
}

/**
 * The line with `--addon` for each server of `--mcp-config`, and of `lists`, which the folder has. Throws a {@link Problem} for one that was
 * named and cannot be brought; another one is said and left out. Rejects with {@link Aborted} once the signal fires.
 */
export async function withRunServers(
  line: Invocation,
  lists: readonly ServerList[],
  { tell, signal }: Keeping,
): Promise<Invocation> {
  const { "mcp-config": given = [], addon = [] } = line.flags;
  const named = await Promise.all(given.map((text) => listGiven(text, line.startedIn)));
  const others = lists.filter(({ said }) => !named.some((each) => each.said === said));
  const paths: string[] = [];
  const from = new Map<string, string>();
  for (const list of [...named, ...others])
    for (const [name, table] of Object.entries(list.servers)) {
      const { base, said } = list;
      try {
        const earlier = from.get(name);
        if (earlier !== undefined)
          throw new Problem(
            `${earlier} also has a server called ${name}: rename one of the two servers`,
            EXIT_USAGE,
          );
        from.set(name, said);
        const isOfRepository = !named.includes(list);
        const server = { name, table, base, said: `${said}#${name}`, listedIn: said, isOfRepository };
        paths.push(await keepServer(server, line, { tell, signal }));
      } catch (error) {
        if (signal?.aborted) throw new Aborted();
        const why = `the MCP server ${name} of ${said} is not used: ${describeError(error)}`;
        if (named.includes(list)) throw new Problem(why, EXIT_USAGE);
        tell(why);
      }
    }
  // They are used, as whoever tells of unused files must know.
  const configs = { "mcp-config": [...named, ...others].map(({ said }) => said) };
  return { ...line, flags: { ...line.flags, ...configs, addon: [...addon, ...paths] } };
}

async function listGiven(text: string, startedIn: string): Promise<ServerList> {
  const isInline = text.trimStart().startsWith("{");
  const path = resolve(startedIn, text);
  if (!isInline && !existsSync(path))
    throw new Problem(
      `--mcp-config: there is no ${path}: expected a file, or JSON with mcpServers`,
      EXIT_USAGE,
    );
  const servers = isInline ? serversOf(parsed(text)) : await serversInFile(path);
  const said = isInline ? "the command line" : path;
  if (Object.keys(servers).length === 0)
    throw new Problem(
      `--mcp-config: ${said} lists no MCP servers: expected {"mcpServers": {"NAME": {…}}}`,
      EXIT_USAGE,
    );
  return { servers, base: isInline ? startedIn : baseOfServers(path), said };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(`--mcp-config: its value is not JSON: ${describeError(error)}`, EXIT_USAGE);
  }
}
