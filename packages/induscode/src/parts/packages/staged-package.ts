// A package on its way: what it is fetched with, where it is put meanwhile, and what it needs.

import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside, isTable } from "indusagi/core";
import type { KeepSecret } from "../../addons/author/imported-secrets.ts";
import { entriesOf, MAX_ADDON_ENTRIES } from "../../addons/source/content-hash.ts";
import { findFile } from "../../briefing/text-file.ts";
import { Problem } from "../../cli/problem.ts";
import { privateFilesIn } from "../../store/private-files.ts";
import { leftOut } from "./left-out.ts";
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
  /** Where it was built, if it comes from a registry. */
  readonly provenance?: string | undefined;
  /** What the person must know, one line each. */
  readonly notes: readonly string[];
  /** Words of a server's command line, and `NAME=value` of its variables, that nothing else may keep as they are: most are secrets. */
  readonly replaced?: ReadonlyMap<string, string>;
}

export interface FetchOptions extends PackageOptions {
  /** An empty folder, into which it is brought. */
  readonly staging: string;
  /** Exactly this of what the source may stand for. */
  readonly pinned?: Pick<FetchedPackage, "resolved" | "integrity"> | undefined;
  /** A repository names the source: of this machine it can name only what is in this folder. */
  readonly within?: string | undefined;
  /** Instead of a name derived from the source. */
  readonly name?: string | undefined;
  /** What relative paths in a server's command line are relative to. */
  readonly base: string;
  readonly npm: () => Promise<NpmClient>;
  /** The source of a marketplace that the person named. Throws a {@link Problem} for another. */
  readonly marketplace: (name: string) => string;
  /** Takes what only the person should read; absent: they set a variable for each. */
  readonly keep?: KeepSecret | undefined;
  /** The secrets of a server whose values were written out where it is listed. */
  readonly ownSecrets?: ReadonlySet<string> | undefined;
  /** The person's variables. */
  readonly personEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** Its server is one of a plugin, whose folder is `base`. */
  readonly isOfPlugin?: boolean;
}

export function placeFor(subject: string, { staging, name }: FetchOptions, said = subject): string {
  const derived = name ?? nameFor(subject);
  if (derived === undefined)
    throw new Problem(`${said} does not contain a name for the addon: use --name NAME`);
  requireName(derived); // before anything is written: it may be a repository's, and lead anywhere
  return join(staging, derived);
}

const NOT_COPIED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * Neither what git keeps, nor what is installed anew, nor links that lead out of it: what is written into the copy later would be
 * written where they lead. Returns what of it was left out, one line at most.
 */
export function copyFolder(from: string, to: string): readonly string[] {
  const folder = realpathSync(from); // the copy of a link would be a link to the original
  let entries = 0;
  cpSync(folder, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter(path) {
      if (path !== folder && NOT_COPIED.has(basename(path))) return false;
      entries += 1;
      if (entries > MAX_ADDON_ENTRIES)
        throw new Problem(`${from} has more than ${MAX_ADDON_ENTRIES} files and folders: an addon has fewer`);
      return path === folder || isCopied(path);
    },
  });
  return leftOut("it is a link that leads out of its folder, or nowhere", withoutLinksOut(to));
}

/**
 * Takes away what of a package's own files is private, before anything of it runs: what a person keeps in a folder was never meant for what
 * they add from it, and none of it is needed, since a value is given by name. `listedIn` is the file that lists the server: it was read, so that
 * nobody is told to give its values.
 */
export function withoutPrivateFiles(fetched: FetchedPackage, listedIn?: string): FetchedPackage {
  const left = privateFilesIn(fetched.folder);
  for (const path of left) rmSync(join(fetched.folder, path), { recursive: true });
  const unread = left.filter((path) => join(fetched.resolved, path) !== listedIn);
  return { ...fetched, notes: [...fetched.notes, ...leftOut(PRIVATE, unread).map((line) => line + INSTEAD)] };
}

const PRIVATE = "private files are not copied";
const INSTEAD =
  ". A value that it needs from them is given by name: to a server with --secret NAME, to an addon by a secret that its manifest requests";

/** Judged in the copy, where an absolute link leads to the original. Returns the names of those that were removed. */
function withoutLinksOut(copy: string): readonly string[] {
  const root = realpathSync(copy);
  const links = entriesOf(copy).filter(({ kind }) => kind === "link");
  const out = links.filter(({ name }) => {
    const found = findFile(join(copy, name));
    return found === undefined || !isInside(root, found.realPath);
  });
  for (const { name } of out) rmSync(join(copy, name));
  return out.map(({ name }) => name).sort();
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

/** What is fetched for a source. Where a file pins something else than what its source says, this is what is said, too. */
export function wantedOf(spec: string, { pinned }: FetchOptions): string {
  return pinned?.resolved ?? spec;
}

/** Throws a {@link Problem} for a named folder that a repository cannot name. */
export function requireWithin(folder: string, within: string | undefined): void {
  if (within === undefined || isInside(within, realpathSync(folder))) return;
  throw new Problem(`${folder} is not in ${within}: a file in a folder can name only files that are in it`);
}

export async function resolvedAs(
  wanted: string,
  npm: NpmClient,
  { pinned }: FetchOptions,
): Promise<ResolvedPackage> {
  const resolved = await npm.resolve(wanted);
  requireChecksum(resolved.integrity, pinned);
  return resolved;
}

/** Throws a {@link Problem} for another checksum than the pinned one. */
export function requireChecksum(found: string | undefined, pinned: FetchOptions["pinned"]): void {
  if (pinned?.integrity === undefined || pinned.integrity === found) return;
  throw new Problem(
    `the checksum of ${pinned.resolved} differs from packages.lock: found ${found ?? "none"}, expected ${pinned.integrity}`,
  );
}

export function exactly(spec: string, { version, resolved }: ResolvedPackage): string {
  return isFromRegistry(spec) ? version : resolved;
}

export function describeResolved(spec: string, { name, version, resolved }: ResolvedPackage): string {
  return isFromRegistry(spec) ? `${name}@${version}` : resolved;
}

/** Whether this is a version of the package that a spec names: another one may come with a checksum just as well. */
export function isExactly(resolved: string, spec: string): boolean {
  if (!isFromRegistry(spec)) return resolved === spec;
  const at = spec.indexOf("@", 1); // the first character may be a scope's
  const name = at < 0 ? spec : spec.slice(0, at);
  return resolved.startsWith(`${name}@`) && /^\d[\w.+-]*$/.test(resolved.slice(name.length + 1));
}

/** A name, with a range or a tag. */
export function isFromRegistry(spec: string): boolean {
  return /^(?:@[^/:]+\/)?[^/:@]+(?:@[^/:]*)?$/.test(spec);
}

/** What the person said that it may have. */
export function requestsOf({
  files,
  hosts = [],
  secrets = [],
  asks = false,
  browser = false,
  sampling = false,
  unconfined = false,
}: PackageOptions): string {
  const reason = 'reason = "you granted it when you added it"';
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
  if (browser) requests.push(['kind = "browser"', reason]);
  if (sampling) requests.push(['kind = "sampling"', "required = false", reason]);
  if (unconfined) requests.push(['kind = "unconfined"', reason]);
  if (asks) requests.push(['kind = "ui"', "ask = true", "required = false", reason]);
  for (const id of secrets) requests.push(['kind = "secret"', `id = ${JSON.stringify(id)}`, reason]);
  return requests.map((lines) => `\n[[capability]]\n${lines.join("\n")}\n`).join("");
}
