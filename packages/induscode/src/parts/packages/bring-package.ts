// From a source to a package that is kept: fetched, described, asked about once, and started once.

import { existsSync, rmSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { describeError, errorCode, isoNow, printable } from "indusagi/core";
import { assignedCommand } from "../../addons/author/imported-command.ts";
import { createImportedValues, hasReference } from "../../addons/author/imported-secrets.ts";
import type { Note } from "../../addons/author/imported-shapes.ts";
import { type AddonDescription, MANIFEST_FILENAME } from "../../addons/contract.ts";
import { addonLogPath } from "../../addons/process/addon-log.ts";
import { failureKey, registrationKey } from "../../addons/process/registration-cache.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { digestOf } from "../../addons/source/entry-marks.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../addons/source/plugin-file.ts";
import { createTrust } from "../../addons/source/trust.ts";
import { askYes } from "../../cli/ask-yes.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { leavesSandbox } from "../../feature/capabilities.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { homePath } from "../../store/home-files.ts";
import { forgetNamedSecrets, keepNamedSecrets } from "../../store/named-secrets.ts";
import { fetchPackage } from "./fetch-package.ts";
import { registered } from "./first-start.ts";
import { withoutSecretsOfAddress } from "./git-problem.ts";
import { marketplaceCalled } from "./marketplace-list.ts";
import type { NpmClient } from "./npm-client.ts";
import {
  changeLock,
  type LockedPackage,
  type PackageOptions,
  readLock,
  requireName,
} from "./package-lock.ts";
import { configText, type PackageSource, serverText } from "./package-source.ts";
import { sourceIn } from "./package-store.ts";
import { describe, lookHere, type PackagesLine, type Place, say, settle, tell } from "./packages-here.ts";
import { collisionsOf } from "./report/collisions.ts";
import { costHere } from "./report/package-cost.ts";
import { asksOf, differenceLines, reportLines } from "./report/package-report.ts";
import { rowsOf } from "./report/report-rows.ts";
import { createSecretShelf, type SecretShelf } from "./secret-shelf.ts";
import { resemblance } from "./similar-name.ts";
import { stagedIn } from "./staged-names.ts";
import type { FetchedPackage, FetchOptions } from "./staged-package.ts";
import { sharedRow, teamLock } from "./team-lock.ts";

export interface Wanted {
  readonly options: PackageOptions;
  readonly name?: string | undefined;
  readonly pinned?: FetchOptions["pinned"];
  readonly within?: FetchOptions["within"];
  /** What relative paths of the source are relative to; absent: the folder that the command was started in. */
  readonly base?: string | undefined;
  /** What an update replaces. */
  readonly before?: LockedPackage | undefined;
  readonly partOf?: string | undefined;
}

/** Fetched and described, and nothing of it kept: it lies in a staging folder. */
export interface Prepared extends Agreed {
  readonly fetched: FetchedPackage;
  readonly staging: string;
}

/** Fetches, reports, asks once, and keeps. */
export async function bring(
  source: PackageSource,
  wanted: Wanted,
  line: PackagesLine,
  place: Place,
): Promise<number> {
  const staging = place.store.stage();
  try {
    const prepared = await prepare(source, wanted, { staging, line, place });
    const { name, content, resolved } = prepared.locked;
    const { before, options } = wanted;
    if (before?.content === content) {
      const changed = await keepSecrets(prepared, place);
      const again = changed.length === 0 ? "" : `, with another value of ${changed.join(", ")}`;
      say(`${name} is up to date: ${resolved}${again}`);
      return await bringPluginServers(name, options, line, place);
    }
    tell(await reportOf(prepared, line, place));
    if (before && isForAll(line)) requireSameHosts(prepared, before);
    const what = options.unconfined === true ? `, and let it run outside of the sandbox` : "";
    const question = before ? `Update ${name}${what}?` : `Add ${name}${what}, and grant what it requests?`;
    if (line.flags.yes !== true && !(await askYes(question))) return say("Nothing was kept.", EXIT_FAULT);
    return await keepWhole(prepared, line, place);
  } finally {
    place.store.forget(staging);
  }
}

/** Whether one `--yes` answers for every package that there is. */
function isForAll({ words: [verb, subject = ""], flags }: PackagesLine): boolean {
  return verb === "update" && subject === "" && flags.yes === true;
}

/** Throws a {@link Problem} if a secret that it has would go to a host that it did not have. */
function requireSameHosts({ description: { capabilities } }: Prepared, before: LockedPackage): void {
  const secrets = capabilities.flatMap(({ capability }) =>
    capability.kind === "secret" ? capability.id : [],
  );
  const network = capabilities.filter(({ capability }) => capability.kind === "network");
  const others = asksOf({ capabilities: network }).filter((asked) => !before.asks.includes(asked));
  if (secrets.length === 0 || others.length === 0) return;
  throw new Problem(
    `it has ${secrets.join(", ")}, and now asks for ${others.join("; ")}, so it is updated alone: indus update ${before.name}`,
  );
}

export async function prepare(
  wanted: PackageSource,
  { options: given, name, before, pinned, within, partOf, base: said }: Wanted,
  { staging, line, place }: { readonly staging: string; readonly line: PackagesLine; readonly place: Place },
): Promise<Prepared> {
  const npm = (): Promise<NpmClient> =>
    import("./npm-client.ts").then(({ createNpmClient }) => createNpmClient(line.env, place.home));
  const shelf = createSecretShelf({ home: place.home, env: line.env, owner: before?.name });
  const notes: string[] = [];
  const options = withoutSecretVariables(given, shelf, (text) => notes.push(text));
  const source = withoutOverridden(wanted, options.env);
  const base = said ?? line.startedIn;
  const marketplace = (called: string): string => marketplaceCalled(called, place.home);
  const secrets = { keep: shelf.keep, personEnv: line.env };
  const how = { ...options, ...secrets, staging, name, pinned, within, base, npm, marketplace };
  const fetched = await stagedIn(staging, () => fetchPackage(source, how));
  const description = await stagedIn(staging, () => describe(fetched, line, place)).catch(
    (error: unknown) => {
      throw new Problem(`${source.text} cannot be used: ${describeError(error)}`);
    },
  );
  requireServer(fetched, options, source);
  await requireOwnWords(description, options, { source: wanted, line, place });
  const id = before?.name ?? description.id;
  const locked: LockedPackage = {
    name: id,
    source: withoutSecrets(source, fetched.replaced),
    base: source.kind === "server" ? base : undefined,
    resolved: fetched.resolved,
    integrity: fetched.integrity,
    provenance: fetched.provenance,
    content: hashAddon(fetched.folder),
    asks: asksOf(description),
    options,
    partOf,
  };
  // A repository's lock file, and what is installed for another agent, name what they list by themselves.
  const asked = name === line.flags.name ? name : undefined;
  if (before) requireUnchanged(before, locked);
  else requireFree(id, { isNamed: isNamedByItself(fetched.folder, source), asked }, place);
  const told = before ? [] : resemblance(id, fetched.resolved, readLock(place.lock).values());
  const noted = { ...fetched, notes: [...told, ...notes, ...addressNotes(source), ...fetched.notes] };
  for (const [name, value] of shelf.values) line.secrets.add(name, value);
  return { fetched: noted, description, locked, before, staging, secrets: shelf.values };
}

/** Throws a {@link Problem} for what only a server takes, if there is none. */
function requireServer(
  { folder }: FetchedPackage,
  { env, startSeconds }: PackageOptions,
  { kind, text }: PackageSource,
): void {
  if (env === undefined && startSeconds === undefined) return;
  if (["server", "config", "address"].includes(kind)) return;
  if (Object.keys(readPluginParts(join(folder, PLUGIN_PARTS))?.mcpServers ?? {}).length > 0) return;
  throw new Problem(
    `--env and --start-seconds are for MCP servers, and ${text} brings none: an addon's own manifest.toml says both, in [run.env] and [run]`,
  );
}

interface OwnWords {
  readonly source: PackageSource;
  readonly line: PackagesLine;
  readonly place: Place;
}

/** Throws a {@link Problem} if it would run outside of the sandbox without the person saying so of this one server, or against their settings. */
async function requireOwnWords(
  { capabilities, id }: AddonDescription,
  { unconfined }: PackageOptions,
  { source, line, place }: OwnWords,
): Promise<void> {
  const asks = leavesSandbox(capabilities.map(({ capability }) => capability));
  const isProgram = source.kind === "server" || source.kind === "config";
  if (unconfined === true && !(isProgram && asks))
    throw new Problem(
      `--unconfined is for the program of one MCP server (mcp:'COMMAND', or FILE#NAME), which ${source.text} is not`,
      EXIT_USAGE,
    );
  if (!asks) return;
  if (unconfined !== true)
    throw new Problem(
      `${id} asks by itself to run outside of the sandbox, which only your own --unconfined grants, and only to an MCP server's program`,
    );
  const { settings } = await loadSettings(place.home, place.cwd, line.parts);
  if (settings.addons?.requireSandbox === true)
    throw new Problem("addons.requireSandbox is set, so nothing of others runs outside of the sandbox");
}

type Replaced = FetchedPackage["replaced"];

/** How it is brought again, without what only the person should read. */
function withoutSecrets(source: PackageSource, replaced: Replaced): string {
  switch (source.kind) {
    case "server":
      return source.words.some((word) => replaced?.has(word))
        ? serverText(source.words.map((word) => replaced?.get(word) ?? word))
        : source.text;
    case "address":
      return replaced?.get(source.url) ?? source.text;
    case "git":
    case "npm":
      return withoutSecretsOfAddress(source.text);
    default:
      return source.text;
  }
}

function addressNotes(source: PackageSource): readonly string[] {
  const isKept =
    (source.kind !== "git" && source.kind !== "npm") || withoutSecrets(source, undefined) === source.text;
  return isKept
    ? []
    : [
        "the credentials in its address are kept nowhere: have git's credential helper, or your npm settings, hold them for updates",
      ];
}

/** With the secrets among the variables that the person gave in a place of theirs. */
function withoutSecretVariables(options: PackageOptions, { keep }: SecretShelf, note: Note): PackageOptions {
  if (options.env === undefined) return options;
  const { take } = createImportedValues(note, keep);
  const env = Object.entries(options.env).map(([name, value]) => [
    name,
    hasReference(value) ? value : (take(name, value, name) ?? ""),
  ]);
  return { ...options, env: Object.fromEntries(env) as PackageOptions["env"] };
}

/** Without what its command line sets and `--env` sets, too: it has no effect, and may be a secret. */
function withoutOverridden(source: PackageSource, env: PackageOptions["env"] = {}): PackageSource {
  if (source.kind !== "server") return source;
  const line = assignedCommand(source.words);
  const own = Object.entries(line.env).filter(([name]) => !Object.hasOwn(env, name));
  if (own.length === Object.keys(line.env).length) return source;
  const words = [...own.map(([name, value]) => `${name}=${value}`), ...line.words];
  return { ...source, words, text: serverText(words) };
}

/** A version that was published does not change: another content under its name is somebody else's. So is what a relative path leads to in a folder of which nobody knows whether it is the one that was meant. */
function requireUnchanged(before: LockedPackage, { name, resolved, integrity }: LockedPackage): void {
  const isOfFolder = before.source.startsWith("mcp:") && before.base === undefined && isAbsolute(resolved);
  if (isOfFolder && before.resolved !== resolved)
    throw new Problem(
      `${name} was added from ${before.resolved}, but in this folder ${before.source} means ${resolved}: update it in the folder where you added it`,
    );
  if (before.resolved !== resolved || before.integrity === undefined || before.integrity === integrity)
    return;
  throw new Problem(
    `the checksum of ${resolved} has changed since you added the package: found ${integrity ?? "none"}, expected ${before.integrity}. A published version must not change, so the update is refused. If you know the reason, run indus remove ${name} and add the package again`,
  );
}

export async function reportOf(
  { fetched, description, locked, before }: Prepared,
  line: PackagesLine,
  place: Place,
): Promise<readonly string[]> {
  const look = lookHere(line);
  const { name } = locked;
  const collisions = await collisionsOf({ name, folder: fetched.folder }, line, place);
  const { folder: staged } = fetched;
  const hasProgram = description.confinement !== undefined;
  const cost = await costHere({ folder: staged, hasProgram, content: locked.content }, line, place);
  const { parts } = line;
  const lines = await reportLines(fetched, description, { look, parts, cost: cost.words, collisions });
  const folder = before && place.store.find(before.name);
  if (before === undefined || folder === undefined) return lines;
  try {
    const former = { locked: before, folder, description: await describe({ folder }, line, place) };
    return [...lines, ...differenceLines(former, { locked, folder: fetched.folder, description }, look)];
  } catch (error) {
    const why = `its former files cannot be read, so nothing says what has changed: ${describeError(error)}`;
    return [...lines, ...rowsOf(look, [["warn", [why]]])];
  }
}

/** With the MCP servers that it brings, each after a question of its own. */
export async function keepWhole(prepared: Prepared, line: PackagesLine, place: Place): Promise<number> {
  await keepSecrets(prepared, place);
  const { fetched, ...agreed } = prepared;
  const { name, options = {} } = agreed.locked;
  const kept = await keep(fetched, agreed, line, place).catch(async (error: unknown) => {
    // What is not there keeps nothing; that this could not be said matters less than why.
    if (place.store.find(name) === undefined)
      await forgetNamedSecrets(place.home, name).catch(() => undefined);
    throw error;
  });
  const servers = await bringPluginServers(name, options, line, place);
  return kept === EXIT_OK ? servers : kept;
}

/** Throws a {@link Problem} if what the person said cannot be kept. */
async function trusting(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    throw new Problem(describeError(error));
  }
}

/** Resolves to the names whose value is new here. */
async function keepSecrets(
  { locked, description, secrets, fetched: { folder } }: Prepared,
  { home }: Place,
): Promise<readonly string[]> {
  const requested = [
    ...description.capabilities.flatMap(({ capability }) =>
      capability.kind === "secret" ? [capability.id] : [],
    ),
    // Of a plugin, its servers request them: packages of their own.
    ...referencesIn([locked.options?.env, readPluginParts(join(folder, PLUGIN_PARTS))?.mcpServers]),
  ];
  const place = { home, owner: locked.name, at: isoNow() };
  try {
    return await keepNamedSecrets(place, { values: secrets, requested });
  } catch (error) {
    throw new Problem(`its secrets could not be kept: ${describeError(error)}`);
  }
}

/** The names of the variables that a value's texts refer to. */
function referencesIn(value: unknown): readonly string[] {
  const found = (JSON.stringify(value) ?? "").matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}/g);
  return [...found].map(([, name = ""]) => name);
}

interface Agreed {
  readonly description: AddonDescription;
  /** What the person alone should read, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly locked: LockedPackage;
  readonly before: LockedPackage | undefined;
}

async function keep(
  fetched: FetchedPackage,
  { description, locked, before }: Agreed,
  line: PackagesLine,
  place: Place,
): Promise<number> {
  const { name, content } = locked;
  const granted = description.capabilities.map(({ capability }) => capability);
  const inside = relative(fetched.folder, sourceIn(fetched.folder).path);
  const path = join(place.store.find(name) ?? join(homePath(place.home, "packages"), name), inside);
  const trust = createTrust(place);
  await trusting(() => trust.grant({ hash: content, id: `user:${name}`, path, granted }));
  let folder = "";
  try {
    // In one step for whoever comes next: what the lock file says decides which of the two folders stays.
    await changeLock(place.lock, (packages) => {
      folder = place.store.keep(fetched.folder, name);
      packages.set(name, { ...locked, isOff: before?.isOff });
    });
  } finally {
    await settle(place);
  }
  if (before) await trusting(() => trust.revoke(before.content));
  if (line.flags.team && locked.partOf === undefined) {
    const shared = sharedRow(locked, place);
    await changeLock(teamLock(place), (packages) => packages.set(name, shared));
  }
  return registered({ locked, before, folder, version: description.version }, line, place);
}

/** An addon's manifest says what it is called; the one of a server, of hooks or of a plugin is written here. */
function isNamedByItself(folder: string, { kind }: PackageSource): boolean {
  if (["server", "config", "address", "hooks"].includes(kind)) return false;
  return existsSync(join(folder, MANIFEST_FILENAME)) && !existsSync(join(folder, PLUGIN_PARTS));
}

interface Naming {
  readonly isNamed: boolean;
  /** With `--name`. */
  readonly asked: string | undefined;
}

function requireFree(name: string, { isNamed, asked }: Naming, { home, lock, store }: Place): void {
  if (asked !== undefined && asked !== name)
    throw new Problem(
      `this addon calls itself ${name}, so it cannot be called ${asked}: --name is for MCP servers, hooks, plugins and addons without a name of their own`,
    );
  requireName(name);
  const taken = readLock(lock).get(name);
  const other = isNamed
    ? `or indus remove ${name} first: it is what this addon calls itself`
    : "or use --name NAME";
  if (taken)
    throw new Problem(`${name} is already added, from ${taken.source}: run indus update ${name}, ${other}`);
  const path = [join(homePath(home, "addons"), name), store.find(name)].find(
    (each) => each !== undefined && existsSync(each),
  );
  if (path !== undefined)
    throw new Problem(`${path} already exists: ${isNamed ? "" : "use --name NAME, or "}remove it first`);
}

/** One that cannot be had does not keep the others out. What is no fault of a package, a file or the system is thrown once all had their turn. */
export async function addEach<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  addOne: (item: Item) => Promise<number>,
): Promise<number> {
  let code = EXIT_OK;
  const defects: unknown[] = [];
  for (const item of items) {
    try {
      const one = await addOne(item);
      if (one !== EXIT_OK) code = one;
    } catch (error) {
      tellOf(nameOf(item), error);
      code = error instanceof Problem ? error.exitCode : EXIT_FAULT;
      if (!isExpected(error)) defects.push(error);
    }
  }
  if (defects.length > 0) throw defects[0];
  return code;
}

/** What kept one of several packages out. */
export function tellOf(name: string, error: unknown): void {
  process.stderr.write(`${printable(`indus: ${name}: ${describeError(error)}`)}\n`);
}

/** A full disk, and what else the system says, is nobody's defect. */
export function isExpected(error: unknown): boolean {
  return error instanceof Problem || errorCode(error) !== undefined;
}

export function bringServers(
  servers: readonly string[],
  path: string,
  wanted: (server: string) => Wanted,
  line: PackagesLine,
  place: Place,
): Promise<number> {
  return addEach(
    servers,
    (server) => server,
    (server) =>
      bring({ kind: "config", path, server, text: configText(path, server) }, wanted(server), line, place),
  );
}

/** The MCP servers of a plugin that was kept, those that it has no more taken away; nothing for any other package. */
async function bringPluginServers(
  name: string,
  options: PackageOptions,
  line: PackagesLine,
  place: Place,
): Promise<number> {
  const path = join(place.store.find(name) ?? "", PLUGIN_PARTS);
  const servers = Object.keys(readPluginParts(path)?.mcpServers ?? {});
  const had = new Map(
    partsOf(name, place).map((row) => [row.source.slice(row.source.lastIndexOf("#") + 1), row]),
  );
  for (const [server, row] of had) if (!servers.includes(server)) await removeOne(row, place);
  const wanted = (server: string): Wanted => {
    const before = had.get(server);
    return { options, partOf: name, before, name: before?.name };
  };
  return bringServers(servers, path, wanted, line, place);
}

export function partsOf(name: string, { lock }: Place): readonly LockedPackage[] {
  return [...readLock(lock).values()].filter(({ partOf }) => partOf === name);
}

export async function removeOne({ name, content }: LockedPackage, place: Place): Promise<void> {
  const folder = place.store.find(name);
  place.store.remove(name);
  for (const path of tracesOf(name, { content, folder }, place))
    rmSync(path, { recursive: true, force: true });
  await createTrust(place).revoke(content);
  await trusting(() => forgetNamedSecrets(place.home, name));
  await changeLock(place.lock, (packages) => packages.delete(name));
}

/** What the host noted of it while it was there, and what it kept itself. */
function tracesOf(
  name: string,
  { content, folder }: { readonly content: string; readonly folder: string | undefined },
  { home }: Place,
): readonly string[] {
  return [
    addonLogPath(home, name),
    homePath(home, "addonState", name),
    homePath(home, "addonTimes", encodeURIComponent(`user:${name}`)),
    homePath(home, "registration", registrationKey(content)),
    homePath(home, "registration", failureKey(content)),
    ...(folder === undefined ? [] : [homePath(home, "addonContent", digestOf(folder))]),
  ];
}
