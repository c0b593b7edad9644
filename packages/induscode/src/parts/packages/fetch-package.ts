// Brings a package into a folder of its own next to the installed ones, where a start does not look: nothing of it has run by then, and
// nothing outside of that folder was written.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { describeError, isTable } from "indusagi/core";
import { withoutSecretValues } from "../../addons/author/cleaned-server.ts";
import {
  ADDON_MANIFEST_FIELD,
  ENTRY_EXTENSIONS,
  MANIFEST_FILENAME,
  PYTHON_EXTENSION,
  PYTHON_INDEX,
} from "../../addons/contract.ts";
import { discoverAddons, standsForFolder } from "../../addons/source/discover.ts";
import { PLUGIN_PARTS } from "../../addons/source/plugin-file.ts";
import { pluginsListedIn, readPlugin } from "../../addons/source/read-plugin.ts";
import { Problem } from "../../cli/problem.ts";
import { commentedJson } from "../../store/json.ts";
import { fetchPlugin } from "./fetch-plugin.ts";
import { configured, remote, server } from "./fetch-server.ts";
import { withoutSecretsOfAddress } from "./git-problem.ts";
import type { PackageSource } from "./package-source.ts";
import { keptFolder, type PluginFacts, pluginOfSettings, writeHooks, writePlugin } from "./plugin-package.ts";
import { pluginInWords } from "./report/plugin-report.ts";
import { CHECKOUT } from "./staged-names.ts";
import {
  copyFolder,
  describeResolved,
  type FetchedPackage,
  type FetchOptions,
  installNeeds,
  isFromRegistry,
  packageOf,
  placeFor,
  requestsOf,
  requireChecksum,
  resolvedAs,
  wantedOf,
  withoutPrivateFiles,
} from "./staged-package.ts";

/** Throws a {@link Problem} that names the source, if it cannot be had or is no package. */
export async function fetchPackage(source: PackageSource, options: FetchOptions): Promise<FetchedPackage> {
  try {
    const listedIn = source.kind === "config" ? source.path : undefined;
    const fetched = withoutPrivateFiles(
      asPlugin(await bring(source, options), source.text, options),
      listedIn,
    );
    const { found, faults } = discoverAddons(options.staging);
    if (found.length === 1 && isMeantAsAddon(source, fetched.folder)) return fetched;
    throw new Problem(
      faults[0]?.message ??
        `${source.text} is not an addon: it has no ${MANIFEST_FILENAME}, and no "${ADDON_MANIFEST_FIELD}" in its package.json${serverHint(fetched.folder)}`,
    );
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(
      `${withoutSecretsOfAddress(source.text)} could not be fetched: ${describeError(error)}`,
    );
  }
}

/** A plugin of another agent becomes an addon here; anything else stays what it is. */
function asPlugin(fetched: FetchedPackage, said: string, options: FetchOptions): FetchedPackage {
  if (existsSync(join(fetched.folder, MANIFEST_FILENAME))) return fetched;
  const plugin = readPlugin(fetched.folder);
  if (plugin === undefined) return fetched;
  const folder = placeFor(plugin.parts.name, options);
  if (folder !== fetched.folder) renameSync(fetched.folder, folder);
  const name = basename(folder);
  const notes = [...fetched.notes];
  const servers = Object.entries(plugin.parts.mcpServers).map(([server, table]) => [
    server,
    isTable(table) ? withoutSecretValues(server, table, (note) => notes.push(note), options.keep) : table,
  ]);
  const parts = { ...plugin.parts, mcpServers: Object.fromEntries(servers) };
  writePlugin({ ...plugin, parts }, pluginFacts(folder, options));
  for (const path of plugin.serverFiles) rmSync(join(folder, path), { force: true }); // all of it that is used was read
  forgetInlineServers(join(folder, plugin.manifest), parts.mcpServers);
  const { brings, unused } = pluginInWords({ name, folder }, new Set());
  if (brings.length > 0) return { ...fetched, name, folder, notes };
  const reasons = [...unused, ...notes];
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  throw new Problem(
    `${said} brings nothing that indus uses: expected skills, commands, agents, output styles, hooks or MCP servers${why}; it has ${filesIn(folder)}`,
  );
}

/** What a manifest itself says of its servers is kept as it was read: without what only the person should read. */
function forgetInlineServers(path: string, mcpServers: object): void {
  const manifest = commentedJson(readFileSync(path, "utf8"));
  if (isTable(manifest) && isTable(manifest.mcpServers))
    writeFileSync(path, `${JSON.stringify({ ...manifest, mcpServers }, undefined, 2)}\n`);
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
    "its commands may start scripts from the workspace. If such a script changes, you are not asked again; it runs in the same sandbox",
  ];
  return { name: basename(folder), folder, resolved: path, notes };
}

async function bring(source: PackageSource, options: FetchOptions): Promise<FetchedPackage> {
  switch (source.kind) {
    case "folder":
      return copied(source.path, options);
    case "archive":
      return unpackedFile(source.path, options);
    case "npm":
      return unpacked(source.spec, source.spec, options);
    case "git":
      return cloned(source.spec, options);
    case "plugin":
      return fetchPlugin(source, options, (from, pinned) =>
        bring(from, { ...options, pinned, name: options.name ?? source.plugin }),
      );
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
  if (!statSync(path).isDirectory()) return ofOneFile(path, options);
  const folder = placeFor(path, options);
  const notes = copyFolder(path, folder);
  forgetParts(folder);
  await installNeeds(folder, options);
  return { name: basename(folder), folder, resolved: path, notes };
}

/** An addon of one file becomes the entry of a folder, which has its name. */
function ofOneFile(path: string, options: FetchOptions): FetchedPackage {
  const extension = extname(path);
  const isPython = extension === PYTHON_EXTENSION;
  if (!isPython && !ENTRY_EXTENSIONS.includes(extension))
    throw new Problem(
      `${path} is a file: expected a folder, an archive, or an addon of one file (${[...ENTRY_EXTENSIONS, PYTHON_EXTENSION].join(", ")})`,
    );
  const folder = placeFor(
    standsForFolder(path) ? dirname(path) : path.slice(0, -extension.length),
    options,
    path,
  );
  mkdirSync(folder);
  copyFileSync(path, join(folder, isPython ? PYTHON_INDEX : `index${extension}`));
  return { name: basename(folder), folder, resolved: path, notes: [] };
}

/** What is in the repository at that commit. */
async function cloned(spec: string, options: FetchOptions): Promise<FetchedPackage> {
  const npm = await options.npm();
  const checkout = join(options.staging, CHECKOUT);
  const { resolved, folder: below } = await npm.clone(wantedOf(spec, options), checkout);
  const content = packageOf(below);
  const named = typeof content?.name === "string" ? content.name : resolved.split("#", 1).join("");
  const folder = placeFor(named, options, spec);
  const notes = copyFolder(below, folder);
  rmSync(checkout, { recursive: true, force: true });
  forgetParts(folder);
  await installNeeds(folder, options);
  return { name: basename(folder), folder, resolved: withoutSecretsOfAddress(resolved), notes };
}

/** Its checksum can be pinned; where it is, is what was named. */
function unpackedFile(path: string, options: FetchOptions): Promise<FetchedPackage> {
  const spec = `file:${path}`;
  return unpacked(spec, path, {
    ...options,
    pinned: options.pinned && { ...options.pinned, resolved: spec },
  });
}

async function unpacked(spec: string, said: string, options: FetchOptions): Promise<FetchedPackage> {
  const npm = await options.npm();
  const wanted = wantedOf(spec, options);
  if (!isFromRegistry(wanted)) return ofArchive(wanted, said, options);
  const resolved = await resolvedAs(wanted, npm, options);
  const folder = placeFor(resolved.name, options, said);
  mkdirSync(folder);
  const notes = await npm.extract(resolved, folder);
  forgetParts(folder);
  await installNeeds(folder, options);
  const { integrity, provenance } = resolved;
  const described = withoutSecretsOfAddress(describeResolved(wanted, resolved));
  return { name: basename(folder), folder, resolved: described, integrity, provenance, notes };
}

/** It is named by its `package.json`, if it has one, or by the archive's own name. */
async function ofArchive(wanted: string, said: string, options: FetchOptions): Promise<FetchedPackage> {
  const npm = await options.npm();
  const checkout = join(options.staging, CHECKOUT);
  mkdirSync(checkout);
  const { resolved, integrity, notes } = await npm.unpack(wanted, checkout);
  requireChecksum(integrity, options.pinned);
  const named = packageOf(checkout)?.name;
  const folder = placeFor(typeof named === "string" ? named : resolved, options, said);
  renameSync(checkout, folder);
  forgetParts(folder);
  await installNeeds(folder, options);
  return { name: basename(folder), folder, resolved: withoutSecretsOfAddress(resolved), integrity, notes };
}

/** What a plugin brings is written down here, by this product: a package that came with such a file could bring what no report shows. */
function forgetParts(folder: string): void {
  rmSync(join(folder, PLUGIN_PARTS), { recursive: true, force: true });
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
  if (plugins.length > 0)
    return `. The package lists plugins: add each plugin by its folder, such as ${plugins[0]}`;
  const { name, bin } = packageOf(folder) ?? {};
  if (bin === undefined || typeof name !== "string") return ` (it has ${filesIn(folder)})`;
  return `. The package has a command. If the command is an MCP server: indus add "mcp:npx -y ${name}"`;
}

/** What this product did not write. */
function filesIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => ![PLUGIN_PARTS, MANIFEST_FILENAME].includes(name));
  return names.slice(0, 8).join(", ");
}
