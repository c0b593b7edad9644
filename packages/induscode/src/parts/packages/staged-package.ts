// A package on its way: what it is fetched with, where it is put meanwhile, and what it needs.

import { cpSync, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isTable } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import type { NpmClient, ResolvedPackage } from "./npm-client.ts";
import { type PackageOptions, requireName } from "./package-lock.ts";
import { nameFor } from "./package-source.ts";

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

export function placeFor(subject: string, { staging, name }: FetchOptions, said = subject): string {
  const derived = name ?? nameFor(subject);
  if (derived === undefined) throw new Problem(`${said} gives no name for an addon: add --name NAME`);
  requireName(derived); // before anything is written: it may be a repository's, and lead anywhere
  return join(staging, derived);
}

const NOT_COPIED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Neither what git keeps, nor what is installed anew. Links stay links: what leads out of the folder is seen by nobody then. */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path === from || (!NOT_COPIED.has(basename(path)) && isCopied(path)),
  });
}

/** The files that {@link copyFolder} copies of a folder, one at a time. */
export function* copiedFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (NOT_COPIED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* copiedFiles(path);
    else if (isCopied(path)) yield path;
  }
}

/** A pipe or a socket would hold the copy up. */
function isCopied(path: string): boolean {
  const status = lstatSync(path);
  return status.isFile() || status.isDirectory() || status.isSymbolicLink();
}

export async function installNeeds(folder: string, { npm }: FetchOptions): Promise<void> {
  const needs = packageOf(folder)?.dependencies;
  if (isTable(needs) && Object.keys(needs).length > 0) await (await npm()).install(folder);
}

export function packageOf(folder: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  const content: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isTable(content) ? content : undefined;
}

export async function resolvedAs(
  spec: string,
  npm: NpmClient,
  { pinned }: FetchOptions,
): Promise<ResolvedPackage> {
  const resolved = await npm.resolve(pinned?.resolved ?? spec);
  if (pinned?.integrity === undefined || pinned.integrity === resolved.integrity) return resolved;
  throw new Problem(
    `${pinned.resolved} has another checksum than packages.lock says: ${resolved.integrity ?? "none"}, instead of ${pinned.integrity}`,
  );
}

export function exactly(spec: string, { version, resolved }: ResolvedPackage): string {
  return isFromRegistry(spec) ? version : resolved;
}

export function describeResolved(spec: string, { name, version, resolved }: ResolvedPackage): string {
  return isFromRegistry(spec) ? `${name}@${version}` : resolved;
}

/** A name, with a range or a tag. */
function isFromRegistry(spec: string): boolean {
  return /^(?:@[^/:]+\/)?[^/:@]+(?:@[^/:]*)?$/.test(spec);
}

/** What the person said that it may have. */
export function requestsOf({ files, hosts = [], secrets = [], asks = false }: PackageOptions): string {
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
