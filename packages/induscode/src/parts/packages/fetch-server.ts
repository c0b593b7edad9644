// An MCP server as a package: its program, or its address, with a manifest of ours.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { importServer, serversOf, withoutSecrets } from "../../addons/author/import-server.ts";
import { assignedCommand, withVariables } from "../../addons/author/imported-command.ts";
import type { Table } from "../../addons/author/imported-shapes.ts";
import { MANIFEST_FILENAME } from "../../addons/contract.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../addons/source/plugin-file.ts";
import { Problem } from "../../cli/problem.ts";
import { isThisMachine } from "../../feature/capabilities.ts";
import { withEnvFile } from "./env-file.ts";
import { knownVariables } from "./known-servers.ts";
import type { ResolvedPackage } from "./npm-client.ts";
import { nameFor, type PackageSource } from "./package-source.ts";
import { readServerCommand } from "./server-command.ts";
import { baseOfServers } from "./server-files.ts";
import {
  copyFolder,
  describeResolved,
  exactly,
  type FetchedPackage,
  type FetchOptions,
  installNeeds,
  placeFor,
  requestsOf,
  requireWithin,
  resolvedAs,
  wantedOf,
} from "./staged-package.ts";

export function remote(url: string, options: FetchOptions): FetchedPackage {
  const { hostname } = new URL(url);
  const subject = isThisMachine(hostname) ? "local" : (hostname.split(".").at(-2) ?? hostname);
  return written(withoutVariables({ url }, options), { subject, said: url, resolved: url }, options);
}

/** Throws a {@link Problem} for variables that a server would never see. */
function withoutVariables(table: Table, { env }: FetchOptions): Table {
  if (env === undefined) return table;
  throw new Problem(
    `--env is for a server that indus starts, and ${String(table.url)} is an address: in a manifest.toml, [run.headers] sets what it is sent`,
  );
}

/** A server as an agent's file has it, with its variables and times. */
export async function configured(
  { path, server: name = "", text: said }: Extract<PackageSource, { readonly kind: "config" }>,
  options: FetchOptions,
): Promise<FetchedPackage> {
  const table = (await serversInFile(path))[name];
  if (table === undefined) throw new Problem(`${path} has no MCP server called ${JSON.stringify(name)}`);
  const isOfPlugin = basename(path) === PLUGIN_PARTS && readPluginParts(path) !== undefined;
  // After what the person calls the plugin.
  const ownName = isOfPlugin ? nameFor(`${basename(dirname(path))}-${name}`) : nameFor(name);
  const named = { ...options, name: options.name ?? ownName, isOfPlugin };
  const base = baseOfServers(path);
  const { table: whole, notes } = withEnvFile(table, base);
  const fetched = await configuredAs(whole, { said, options: { ...named, base } });
  return { ...fetched, notes: [...notes, ...fetched.notes] };
}

/** The same of an entry that was read from anywhere; `said` is what a message calls it. */
export async function configuredAs(
  table: Table,
  { said, options }: { readonly said: string; readonly options: FetchOptions },
): Promise<FetchedPackage> {
  const { command, args = [] } = table;
  const words = [command, args].flat().filter((word) => typeof word === "string");
  if (command === undefined)
    return written(withoutVariables(table, options), { said, resolved: said }, options);
  return server(words, { said, table }, options);
}

/** The MCP servers that a file of an agent lists. */
export async function serversInFile(path: string): Promise<Readonly<Record<string, Table>>> {
  const { readServers } = await import("../author/server-config.ts");
  return serversOf(await readServers(path, path));
}

interface ServerFacts {
  readonly said: string;
  /** What else a file says of it. */
  readonly table?: Table;
}

export async function server(
  line: readonly string[],
  { said, table = {} }: ServerFacts,
  options: FetchOptions,
): Promise<FetchedPackage> {
  const { words, env } = assignedCommand(line);
  const own = words.map((word) => word.replace(PLUGIN_ROOT, () => options.base));
  const isUnconfined = options.unconfined === true;
  const command = readServerCommand(options.isOfPlugin ? own : words, options.base, isUnconfined);
  const given = withVariables(table, { ...env, ...options.env });
  const config = ([program = "", ...args]: readonly string[], known = {}): Table => {
    const variables = { ...known, ...(given.env as object) };
    return { ...given, env: variables, command: program, args };
  };
  switch (command.kind) {
    case "none":
      throw new Problem(command.problem);
    case "program":
      if (options.isOfPlugin && words.some((word) => PLUGIN_ROOT.test(word)))
        return ownServer(words, config, { said, resolved: said }, options);
      return written(
        config(command.words),
        { subject: command.words[0] ?? "", said, resolved: said },
        options,
      );
    case "script": {
      if (options.isOfPlugin) return ownServer(words, config, { said, resolved: said }, options);
      requireWithin(command.folder, options.within);
      const folder = placeFor(command.folder, options);
      const left = copyFolder(command.folder, folder);
      if (existsSync(join(folder, MANIFEST_FILENAME)))
        throw new Problem(`${command.folder} is an addon already: indus add ${command.folder}`);
      await installNeeds(folder, options);
      return written(config(command.words), { folder, said, resolved: command.folder, left }, options);
    }
    case "package": {
      const npm = await options.npm();
      const wanted = wantedOf(command.spec, options);
      const resolved = await resolvedAs(wanted, npm, options);
      const folder = placeFor(resolved.name, options, said);
      mkdirSync(folder);
      const dependencies = { [resolved.name]: exactly(wanted, resolved) };
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ private: true, dependencies }, undefined, 2),
      );
      await npm.install(folder);
      const file = fileOf(resolved, command.bin);
      const started = ["node", `node_modules/${resolved.name}/${file}`, ...command.args];
      const facts = { folder, said, resolved: describeResolved(wanted, resolved) };
      const { integrity, provenance } = resolved;
      const known = knownVariables(resolved.name);
      return { ...written(config(started, known), facts, options), integrity, provenance };
    }
  }
}

const PLUGIN_ROOT = /\$\{(?:CLAUDE_)?PLUGIN_ROOT\}/;

/** A server that is among a plugin's files gets them all: its words may mean any of them. */
async function ownServer(
  [program = "", ...args]: readonly string[],
  config: (words: readonly string[]) => object,
  facts: WrittenFacts,
  options: FetchOptions,
): Promise<FetchedPackage> {
  const folder = placeFor(options.name ?? "", options, facts.said);
  const left = copyFolder(options.base, folder);
  for (const name of [MANIFEST_FILENAME, PLUGIN_PARTS]) rmSync(join(folder, name), { force: true });
  await installNeeds(folder, options);
  return written(config([program.replace(PLUGIN_ROOT, "."), ...args]), { ...facts, folder, left }, options);
}

/** The file of the command that is meant. */
function fileOf({ name, bin }: ResolvedPackage, wanted = basename(name)): string {
  const names = Object.keys(bin);
  const file = bin[wanted] ?? (names.length === 1 ? bin[names[0] ?? ""] : undefined);
  if (file !== undefined) return file.replace(/^\.\//, "");
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw new Problem(`the package ${name} has no command called ${wanted}: ${known}`);
}

interface WrittenFacts {
  /** Where its files are, if it has any. */
  readonly folder?: string;
  /** What it is named for, without a folder. */
  readonly subject?: string;
  readonly said: string;
  readonly resolved: string;
  /** What of its files was left out. */
  readonly left?: readonly string[];
}

/** Writes the manifest of an MCP server. */
function written(
  config: object,
  { folder, subject = "", said, resolved, left = [] }: WrittenFacts,
  options: FetchOptions,
): FetchedPackage {
  const place = folder ?? placeFor(subject, options, said);
  if (folder === undefined) mkdirSync(place);
  const name = basename(place);
  const { startSeconds, keep, ownSecrets: own, personEnv: env, unconfined: isUnconfined } = options;
  const isThere = (path: string): boolean => existsSync(join(place, path.replace(PLUGIN_ROOT, ".")));
  const imported = importServer({ mcpServers: { [name]: config } }, name, said, {
    isThere,
    startSeconds,
    keep,
    own,
    env,
    isUnconfined,
  });
  if (!imported.ok) throw new Problem(imported.problem);
  writeFileSync(join(place, MANIFEST_FILENAME), imported.manifest + requestsOf(options), { mode: 0o600 });
  const { replaced } = imported;
  const notes = [...left, ...imported.notes];
  const plain = resolved === said ? withoutSecrets(said, replaced) : resolved; // a path stays as it is
  return { name, folder: place, resolved: plain, notes, replaced };
}
