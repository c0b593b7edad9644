// Brings a package into a folder of its own next to the installed ones, where a start does not look: nothing of it has run by then, and
// nothing outside of that folder was written.

import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describeError, isTable } from "indusagi/core";
import { importServer, serversOf } from "../../addons/author/import-server.ts";
import type { Table } from "../../addons/author/imported-shapes.ts";
import { ADDON_MANIFEST_FIELD, MANIFEST_FILENAME } from "../../addons/contract.ts";
import { discoverAddons } from "../../addons/source/discover.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../addons/source/plugin-file.ts";
import { pluginsListedIn, readPlugin } from "../../addons/source/read-plugin.ts";
import { Problem } from "../../cli/problem.ts";
import { isThisMachine } from "../../feature/capabilities.ts";
import type { NpmClient, ResolvedPackage } from "./npm-client.ts";
import { type PackageOptions, requireName } from "./package-lock.ts";
import { nameFor, type PackageSource } from "./package-source.ts";
import { keptFolder, type PluginFacts, pluginOfSettings, writeHooks, writePlugin } from "./plugin-package.ts";
import { readServerCommand } from "./server-command.ts";

/** A package that is not kept yet. */
export interface FetchedPackage {
  /** Of its folder, until its manifest says otherwise. */
  readonly name: string;
  readonly folder: string;
  /** What the source stood for: `name@version` of a registry, an address with a commit, a path. */
  readonly resolved: string;
  readonly integrity?: string | undefined;
  /** What the person must know, one line each. */
  readonly notes: readonly string[];
}

export interface FetchOptions extends PackageOptions {
  /** An empty folder, into which it is brought. */
  readonly staging: string;
  /** Exactly this of what the source may stand for. */
  readonly pinned?: Pick<FetchedPackage, "resolved" | "integrity"> | undefined;
  /** Instead of a name derived from the source. */
  readonly name?: string | undefined;
  /** What relative paths in a server's command line are relative to. */
  readonly base: string;
  readonly npm: () => Promise<NpmClient>;
  /** Its server is one of a plugin, whose folder is `base`. */
  readonly isOfPlugin?: boolean;
}

/** Throws a {@link Problem} that names the source, if it cannot be had or is no package. */
export async function fetchPackage(source: PackageSource, options: FetchOptions): Promise<FetchedPackage> {
  try {
    const fetched = asPlugin(await bring(source, options), options);
    const { found, faults } = discoverAddons(options.staging);
    if (found.length === 1 && isMeantAsAddon(source, fetched.folder)) return fetched;
    throw new Problem(
      faults[0]?.message ??
        `${source.text} is not an addon: it has no ${MANIFEST_FILENAME}, and no "${ADDON_MANIFEST_FIELD}" in its package.json${serverHint(fetched.folder)}`,
    );
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${source.text} could not be fetched: ${describeError(error)}`);
  }
}

/** A plugin of another agent becomes an addon here; anything else stays what it is. */
function asPlugin(fetched: FetchedPackage, options: FetchOptions): FetchedPackage {
  if (existsSync(join(fetched.folder, MANIFEST_FILENAME))) return fetched;
  const plugin = readPlugin(fetched.folder);
  if (plugin === undefined) return fetched;
  const folder = placeFor(plugin.parts.name, options);
  if (folder !== fetched.folder) renameSync(fetched.folder, folder);
  const name = basename(folder);
  writePlugin(plugin, pluginFacts(folder, options));
  return { ...fetched, name, folder };
}

function pluginFacts(folder: string, options: FetchOptions): PluginFacts {
  const name = basename(folder);
  // Hooks of that agent are written for a process that sees the project.
  const requests = requestsOf({ ...options, files: options.files ?? "read" });
  return { name, folder, kept: keptFolder(options.staging, name), requests };
}

async function hooksOf(path: string, said: string, options: FetchOptions): Promise<FetchedPackage> {
  const plugin = await pluginOfSettings(path);
  if (plugin === undefined) throw new Problem(`${path} has no hooks`);
  const folder = placeFor("hooks", options, said);
  writeHooks(plugin, pluginFacts(folder, options));
  const notes = [
    "its commands may start scripts of the workspace: those can change without a question, and run confined as it is",
  ];
  return { name: basename(folder), folder, resolved: path, notes };
}

async function bring(source: PackageSource, options: FetchOptions): Promise<FetchedPackage> {
  switch (source.kind) {
    case "folder":
      return copied(source.path, options);
    case "archive":
      return unpacked(`file:${source.path}`, source.path, options);
    case "npm":
      return unpacked(source.spec, source.spec, options);
    case "address":
      return remote(source.url, options);
    case "server":
      return server(source.words, { said: source.text }, options);
    case "config":
      return configured(source, options);
    case "hooks":
      return hooksOf(source.path, source.text, options);
  }
}

async function copied(path: string, options: FetchOptions): Promise<FetchedPackage> {
  const folder = placeFor(path, options);
  copyFolder(path, folder);
  await installNeeds(folder, options);
  return { name: basename(folder), folder, resolved: path, notes: [] };
}

async function unpacked(spec: string, said: string, options: FetchOptions): Promise<FetchedPackage> {
  const npm = await options.npm();
  const resolved = await resolvedAs(spec, npm, options);
  const folder = placeFor(resolved.name, options, said);
  mkdirSync(folder);
  const notes = await npm.extract(resolved, folder);
  await installNeeds(folder, options);
  const { integrity } = resolved;
  return { name: basename(folder), folder, resolved: describeResolved(spec, resolved), integrity, notes };
}

function remote(url: string, options: FetchOptions): FetchedPackage {
  const { hostname } = new URL(url);
  const subject = isThisMachine(hostname) ? "local" : (hostname.split(".").at(-2) ?? hostname);
  return written({ url }, { subject, said: url, resolved: url }, options);
}

/** A server as an agent's file has it, with its variables and times. */
async function configured(
  { path, server: name = "", text: said }: Extract<PackageSource, { readonly kind: "config" }>,
  options: FetchOptions,
): Promise<FetchedPackage> {
  const table = (await serversInFile(path))[name];
  if (table === undefined) throw new Problem(`${path} has no MCP server called ${JSON.stringify(name)}`);
  const plugin = basename(path) === PLUGIN_PARTS ? readPluginParts(path)?.name : undefined;
  const ownName = plugin === undefined ? nameFor(name) : nameFor(`${plugin}-${name}`);
  const named = { ...options, name: options.name ?? ownName, isOfPlugin: plugin !== undefined };
  const { command, args = [] } = table;
  const words = [command, args].flat().filter((word) => typeof word === "string");
  if (command === undefined) return written(table, { said, resolved: said }, named);
  return server(words, { said, table }, { ...named, base: dirname(path) });
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

async function server(
  words: readonly string[],
  { said, table = {} }: ServerFacts,
  options: FetchOptions,
): Promise<FetchedPackage> {
  const own = words.map((word) => word.replace(PLUGIN_ROOT, () => options.base));
  const command = readServerCommand(options.isOfPlugin ? own : words, options.base);
  const config = ([program = "", ...args]: readonly string[]): object => ({
    ...table,
    command: program,
    args,
  });
  switch (command.kind) {
    case "none":
      throw new Problem(command.problem);
    case "program":
      return written(
        config(command.words),
        { subject: command.words[0] ?? "", said, resolved: said },
        options,
      );
    case "script": {
      if (options.isOfPlugin) return ownServer(words, config, { said, resolved: said }, options);
      const folder = placeFor(command.folder, options);
      copyFolder(command.folder, folder);
      if (existsSync(join(folder, MANIFEST_FILENAME)))
        throw new Problem(`${command.folder} is an addon already: indus add ${command.folder}`);
      await installNeeds(folder, options);
      return written(config(command.words), { folder, said, resolved: command.folder }, options);
    }
    case "package": {
      const npm = await options.npm();
      const resolved = await resolvedAs(command.spec, npm, options);
      const folder = placeFor(resolved.name, options, said);
      mkdirSync(folder);
      const dependencies = { [resolved.name]: exactly(command.spec, resolved) };
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ private: true, dependencies }, undefined, 2),
      );
      await npm.install(folder);
      const file = fileOf(resolved, command.bin);
      const started = ["node", `node_modules/${resolved.name}/${file}`, ...command.args];
      const facts = { folder, said, resolved: describeResolved(command.spec, resolved) };
      return { ...written(config(started), facts, options), integrity: resolved.integrity };
    }
  }
}

async function resolvedAs(spec: string, npm: NpmClient, { pinned }: FetchOptions): Promise<ResolvedPackage> {
  const resolved = await npm.resolve(pinned?.resolved ?? spec);
  if (pinned?.integrity === undefined || pinned.integrity === resolved.integrity) return resolved;
  throw new Problem(
    `${pinned.resolved} has another checksum than packages.lock says: ${resolved.integrity ?? "none"}, instead of ${pinned.integrity}`,
  );
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
  copyFolder(options.base, folder);
  for (const name of [MANIFEST_FILENAME, PLUGIN_PARTS]) rmSync(join(folder, name), { force: true });
  await installNeeds(folder, options);
  return written(config([program.replace(PLUGIN_ROOT, "."), ...args]), { ...facts, folder }, options);
}

/** The file of the command that is meant. */
function fileOf({ name, bin }: ResolvedPackage, wanted = basename(name)): string {
  const names = Object.keys(bin);
  const file = bin[wanted] ?? (names.length === 1 ? bin[names[0] ?? ""] : undefined);
  if (file !== undefined) return file.replace(/^\.\//, "");
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw new Problem(`the package ${name} has no command called ${wanted}: ${known}`);
}

function exactly(spec: string, { version, resolved }: ResolvedPackage): string {
  return isFromRegistry(spec) ? version : resolved;
}

function describeResolved(spec: string, { name, version, resolved }: ResolvedPackage): string {
  return isFromRegistry(spec) ? `${name}@${version}` : resolved;
}

/** A name, with a range or a tag. */
function isFromRegistry(spec: string): boolean {
  return /^(?:@[^/:]+\/)?[^/:@]+(?:@[^/:]*)?$/.test(spec);
}

interface WrittenFacts {
  /** Where its files are, if it has any. */
  readonly folder?: string;
  /** What it is named for, without a folder. */
  readonly subject?: string;
  readonly said: string;
  readonly resolved: string;
}

/** Writes the manifest of an MCP server. */
function written(
  config: object,
  { folder, subject = "", said, resolved }: WrittenFacts,
  options: FetchOptions,
): FetchedPackage {
  const place = folder ?? placeFor(subject, options, said);
  if (folder === undefined) mkdirSync(place);
  const name = basename(place);
  const imported = importServer({ mcpServers: { [name]: config } }, name, said);
  if (!imported.ok) throw new Problem(imported.problem);
  writeFileSync(join(place, MANIFEST_FILENAME), imported.manifest + requestsOf(options), { mode: 0o600 });
  return { name, folder: place, resolved, notes: imported.notes };
}

/** What the person said that it may have. */
function requestsOf({ files, hosts = [], secrets = [], asks = false }: PackageOptions): string {
  const reason = 'reason = "you said so when you added it"';
  const requests: string[][] = [];
  if (files !== undefined)
    requests.push([
      'kind = "files"',
      "read = true",
      ...(files === "read" ? [] : ["write = true"]),
      ...(files === "execute" ? ["execute = true"] : []),
      reason,
    ]);
  if (hosts.length > 0)
    requests.push([
      'kind = "network"',
      `hosts = ${JSON.stringify(hosts)}`,
      'purpose = "its service"',
      reason,
    ]);
  if (asks) requests.push(['kind = "ui"', "ask = true", "required = false", reason]);
  for (const id of secrets) requests.push(['kind = "secret"', `id = ${JSON.stringify(id)}`, reason]);
  return requests.map((lines) => `\n[[capability]]\n${lines.join("\n")}\n`).join("");
}

function placeFor(subject: string, { staging, name }: FetchOptions, said = subject): string {
  const derived = name ?? nameFor(subject);
  if (derived === undefined) throw new Problem(`${said} gives no name for an addon: add --name NAME`);
  requireName(derived); // before anything is written: it may be a repository's, and lead anywhere
  return join(staging, derived);
}

/** Neither what git keeps, nor what is installed anew. Links stay links: what leads out of the folder is seen by nobody then. */
function copyFolder(from: string, to: string): void {
  const left = new Set([".git", "node_modules"]);
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path === from || (!left.has(basename(path)) && isCopied(path)),
  });
}

/** A pipe or a socket would hold the copy up. */
function isCopied(path: string): boolean {
  const status = lstatSync(path);
  return status.isFile() || status.isDirectory() || status.isSymbolicLink();
}

async function installNeeds(folder: string, { npm }: FetchOptions): Promise<void> {
  const needs = packageOf(folder)?.dependencies;
  if (isTable(needs) && Object.keys(needs).length > 0) await (await npm()).install(folder);
}

function packageOf(folder: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  const content: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isTable(content) ? content : undefined;
}

/** Nearly every package has an index file: one that was published says that it is an addon. */
function isMeantAsAddon({ kind }: PackageSource, folder: string): boolean {
  if (kind !== "npm" && kind !== "archive") return true;
  const content = packageOf(folder);
  return (
    content === undefined || ADDON_MANIFEST_FIELD in content || existsSync(join(folder, MANIFEST_FILENAME))
  );
}

/** What a package that offers a command may be. */
function serverHint(folder: string): string {
  const plugins = pluginsListedIn(folder);
  if (plugins.length > 0) return `. It lists plugins: add each by its folder, such as ${plugins[0]}`;
  const { name, bin } = packageOf(folder) ?? {};
  if (bin === undefined || typeof name !== "string")
    return ` (it has ${readdirSync(folder).slice(0, 8).join(", ")})`;
  return `. It brings a command: if that is an MCP server, indus add "mcp:npx -y ${name}"`;
}
