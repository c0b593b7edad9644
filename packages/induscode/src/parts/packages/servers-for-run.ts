// `--mcp-config`: the MCP servers of a file, or of the command line, for one run. Each is brought as `indus add` brings it and becomes an
// addon that the run is given by its path: nothing of it starts before the person trusts it.

import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { serversOf } from "../../addons/author/import-server.ts";
import type { Table } from "../../addons/author/imported-shapes.ts";
import { digestOf } from "../../addons/source/entry-marks.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { makeFolder } from "../../store/make-folder.ts";
import { noteUse, removeUnused } from "../../store/unused-entries.ts";
import { configuredAs, serversInFile } from "./fetch-server.ts";
import { createPackageStore } from "./package-store.ts";
import { readServerCommand } from "./server-command.ts";

/**
 * The line with `--addon` for each server of `--mcp-config`, and of `files`, which the folder has. Throws a {@link Problem} for one that was
 * named and cannot be brought; another one is said and left out.
 */
export async function withRunServers(
  line: Invocation,
  files: readonly string[],
  tell: (text: string) => void,
): Promise<Invocation> {
  const { "mcp-config": given = [] } = line.flags;
  const paths: string[] = [];
  const from = new Map<string, string>();
  const named = given.map((text) =>
    text.trimStart().startsWith("{") ? text : resolve(line.startedIn, text),
  );
  for (const text of [...named, ...files.filter((file) => !named.includes(file))]) {
    const { servers, base, said } = await serversGiven(text, line.startedIn);
    for (const [name, table] of Object.entries(servers)) {
      const earlier = from.get(name);
      if (earlier !== undefined && !named.includes(text)) {
        tell(`${name} of ${said} is not used: ${earlier} has a server of that name`);
        continue;
      }
      if (earlier !== undefined)
        throw new Problem(
          `--mcp-config: ${said} and ${earlier} both have a server called ${name}`,
          EXIT_USAGE,
        );
      from.set(name, said);
      try {
        paths.push(await brought({ name, table, base, said: `${said}#${name}` }, line, tell));
      } catch (error) {
        if (!(error instanceof Problem) || named.includes(text)) throw error;
        tell(`${name} of ${said} is not used: ${error.message}`);
      }
    }
  }
  const { flags } = line;
  const configs = { "mcp-config": [...named, ...files] }; // they are used, as whoever tells of unused files must know
  return { ...line, flags: { ...flags, ...configs, addon: [...(flags.addon ?? []), ...paths] } };
}

interface Given {
  readonly servers: Readonly<Record<string, Table>>;
  /** What relative paths are relative to. */
  readonly base: string;
  readonly said: string;
}

async function serversGiven(text: string, startedIn: string): Promise<Given> {
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
  return { servers, base: isInline ? startedIn : dirname(path), said };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(`--mcp-config: its value is no JSON: ${(error as Error).message}`, EXIT_USAGE);
  }
}

interface OneServer {
  readonly name: string;
  readonly table: Table;
  readonly base: string;
  readonly said: string;
}

/** The folder of its addon. What npm has to fetch is fetched once for the same words; copied files are copied anew. */
async function brought(
  { name, table, base, said }: OneServer,
  { env }: Invocation,
  tell: (text: string) => void,
): Promise<string> {
  const home = indusHome(env);
  const entry = homePath(home, "runServer", digestOf(JSON.stringify([name, table, base])));
  const { command, args = [] } = table;
  const words = [command, args].flat().filter((word) => typeof word === "string");
  const isFetched = words.length > 0 && readServerCommand(words, base).kind === "package";
  const kept = join(entry, name);
  if (isFetched && existsSync(kept)) {
    noteUse(entry);
    return kept;
  }
  const store = createPackageStore({ home });
  const staging = store.stage();
  try {
    const { folder, notes } = await configuredAs(table, {
      said,
      options: {
        ...{ staging, name, base },
        npm: async () => (await import("./npm-client.ts")).createNpmClient(env, home),
      },
    });
    for (const note of notes) tell(`${said}: ${note}`);
    makeFolder(dirname(entry));
    rmSync(entry, { recursive: true, force: true });
    makeFolder(entry);
    renameSync(folder, kept);
    removeUnused(dirname(entry), basename(entry));
    return kept;
  } finally {
    store.forget(staging);
  }
}
