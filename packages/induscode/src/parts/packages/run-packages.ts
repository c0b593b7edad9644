// `indus add|remove|update|list|show|enable|disable`: what a person has from others, in one step each. Nothing is kept before they have read
// what it is, and nothing of it runs before that.

import { existsSync, realpathSync, rmSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { isInside, nearest, printable } from "indusagi/core";
import type { AddonDescription } from "../../addons/contract.ts";
import { createTieredLoader } from "../../addons/kinds/tiered-loader.ts";
import { addonLogPath } from "../../addons/process/addon-log.ts";
import { PROTOCOL_VERSION } from "../../addons/process/protocol/messages.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { digestOf } from "../../addons/source/entry-marks.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../addons/source/plugin-file.ts";
import { createTrust } from "../../addons/source/trust.ts";
import { usesColour } from "../../cli/colour.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { createStyle } from "../../console/style.ts";
import type { LineLook } from "../../console/transcript-lines.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { askYes } from "./ask-yes.ts";
import { type FetchedPackage, type FetchOptions, fetchPackage, serversInFile } from "./fetch-package.ts";
import type { NpmClient } from "./npm-client.ts";
import {
  changeLock,
  FILE_ACCESS,
  type LockedPackage,
  type PackageOptions,
  readLock,
  requireName,
} from "./package-lock.ts";
import { asksOf, differenceLines, reportLines, rowsOf } from "./package-report.ts";
import { configText, type PackageSource, parseSource, SOURCE_FORMS } from "./package-source.ts";
import { createPackageStore, sourceIn } from "./package-store.ts";

export type PackagesLine = Invocation<{
  readonly yes?: boolean | undefined;
  readonly name?: string | undefined;
  readonly files?: string | undefined;
  readonly host?: readonly string[] | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly team?: boolean | undefined;
  readonly ask?: boolean | undefined;
  readonly json?: boolean | undefined;
}>;

/** Runs one subcommand and returns the exit code. Throws a {@link Problem}. */
export async function runPackages(line: PackagesLine): Promise<number> {
  const [verb, subject = ""] = line.words;
  const place = placeOf(line);
  switch (verb) {
    case "add":
      return subject === "" ? addTeams(line, place) : add(subject, line, place);
    case "update":
      return update(subject, line, place);
    case "remove":
      return remove(subject, place);
    case "enable":
      return turn(subject, "on", place);
    case "disable":
      return turn(subject, "off", place);
    case "show":
      return show(subject, line, place);
    default:
      return list(line, place);
  }
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly lock: string;
  readonly store: ReturnType<typeof createPackageStore>;
}

function placeOf(line: PackagesLine): Place {
  const home = indusHome(line.env);
  return {
    home,
    cwd: workingDirectory(line),
    lock: homePath(home, "packagesLock"),
    store: createPackageStore({ home }),
  };
}

async function add(given: string, line: PackagesLine, place: Place): Promise<number> {
  const source = parsed(given, line.startedIn);
  const { flags } = line;
  const options: PackageOptions = {
    files: accessOf(flags.files),
    hosts: flags.host,
    secrets: flags.secret,
    asks: flags.ask,
  };
  if (source.kind !== "config" || source.server !== undefined)
    return bring(source, { options, name: flags.name }, line, place);
  return addAll(source.path, line, place, options);
}

/** What the repository's own lock file names: as it is pinned there, each after a question. */
async function addTeams(line: PackagesLine, place: Place): Promise<number> {
  const path = teamLock(place);
  const named = [...readLock(path).values()];
  if (named.length === 0)
    throw new Problem(`expected a source, or packages in ${path}: ${SOURCE_FORMS.join(", ")}`, EXIT_USAGE);
  const locked = readLock(place.lock);
  const missing = named.filter(({ name }) => !locked.has(name));
  if (missing.length === 0) return say(`Everything in ${path} is there.`);
  return addEach(
    missing,
    ({ name }) => name,
    ({ name, source, resolved, integrity, options = {} }) => {
      const pinned = integrity === undefined ? undefined : { resolved, integrity };
      return bring(teamSource(source, place), { options, name, pinned }, line, place);
    },
  );
}

/** One that cannot be had does not keep the others out. */
async function addEach<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  addOne: (item: Item) => Promise<number>,
): Promise<number> {
  let code = EXIT_OK;
  for (const item of items) {
    try {
      const one = await addOne(item);
      if (one !== EXIT_OK) code = one;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      process.stderr.write(`${printable(`indus: ${nameOf(item)}: ${error.message}`)}\n`);
      code = error.exitCode;
    }
  }
  return code;
}

/** Each server of a file, with a question of its own. */
async function addAll(
  path: string,
  line: PackagesLine,
  place: Place,
  options: PackageOptions,
): Promise<number> {
  const servers = Object.keys(await serversInFile(path));
  if (servers.length === 0) throw new Problem(`${path} lists no MCP servers`);
  return bringServers(servers, path, () => ({ options }), line, place);
}

function bringServers(
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

function partsOf(name: string, { lock }: Place): readonly LockedPackage[] {
  return [...readLock(lock).values()].filter(({ partOf }) => partOf === name);
}

async function update(name: string, line: PackagesLine, place: Place): Promise<number> {
  const locked = readLock(place.lock);
  const named = name === "" ? [...locked.values()] : [known(name, locked)];
  const wanted = new Set(named.map((row) => locked.get(row.partOf ?? "") ?? row));
  if (wanted.size === 0) return say("No packages. indus add SOURCE brings one.");
  let code = EXIT_OK;
  for (const before of wanted) {
    const { options = {} } = before;
    const source = parsed(before.source, line.startedIn);
    const one = await bring(source, { options, name: before.name, before }, line, place);
    if (one !== EXIT_OK) code = one;
  }
  return code;
}

interface Wanted {
  readonly options: PackageOptions;
  readonly name?: string | undefined;
  readonly pinned?: FetchOptions["pinned"];
  /** What an update replaces. */
  readonly before?: LockedPackage | undefined;
  readonly partOf?: string | undefined;
}

/** Fetches, reports, asks once, and keeps. */
async function bring(
  source: PackageSource,
  { options, name, before, pinned, partOf }: Wanted,
  line: PackagesLine,
  place: Place,
): Promise<number> {
  const staging = place.store.stage();
  try {
    const npm = (): Promise<NpmClient> =>
      import("./npm-client.ts").then(({ createNpmClient }) => createNpmClient(line.env, place.home));
    const fetched = await fetchPackage(source, {
      ...options,
      staging,
      name,
      pinned,
      base: line.startedIn,
      npm,
    });
    const description = await describe(fetched, line, place);
    const id = before?.name ?? description.id;
    const content = hashAddon(fetched.folder);
    const locked: LockedPackage = {
      name: id,
      source: source.text,
      resolved: fetched.resolved,
      integrity: fetched.integrity,
      content,
      asks: asksOf(description),
      options,
      partOf,
    };
    if (before?.content === content) {
      say(`${id} is up to date: ${fetched.resolved}`);
      return await bringPluginServers(id, options, line, place);
    }
    if (!before) requireFree(id, place);
    const look = lookHere(line);
    tell([
      ...reportLines(fetched, description, look),
      ...(before ? differenceLines(before, locked, look) : []),
    ]);
    const question = before ? `Update ${id}?` : `Add ${id}, and grant what it asks for?`;
    if (line.flags.yes !== true && !(await askYes(question))) return say("Nothing was kept.", EXIT_FAULT);
    const kept = await keep(fetched, { description, locked, before }, line, place);
    const servers = await bringPluginServers(id, options, line, place);
    return kept === EXIT_OK ? servers : kept;
  } finally {
    place.store.forget(staging);
  }
}

interface Agreed {
  readonly description: AddonDescription;
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
  const trust = createTrust(place);
  const folder = place.store.keep(fetched.folder, name);
  const granted = description.capabilities.map(({ capability }) => capability);
  await trust.grant({ hash: content, id: `user:${name}`, path: sourceIn(folder).path, granted });
  if (before) await trust.revoke(before.content);
  await changeLock(place.lock, (packages) => packages.set(name, { ...locked, isOff: before?.isOff }));
  if (line.flags.team && locked.partOf === undefined) {
    const { source, ...row } = locked;
    const shared = { ...row, source: sharedSource(source, place) };
    await changeLock(teamLock(place), (packages) => packages.set(name, shared));
  }
  return registered(name, folder, line, place);
}

/** Starts it once, in its sandbox, with what it was granted: what it offers is said at once, and whether it works. */
async function registered(name: string, folder: string, line: PackagesLine, place: Place): Promise<number> {
  const { runCheck } = await import("../author/run-addon-check.ts");
  const { registers, findings, printed, toolBytes } = await runCheck(sourceIn(folder), {
    ...place,
    env: line.env,
    parts: line.parts,
  });
  const problems = findings.filter(({ severity }) => severity === "problem");
  const cost = toolBytes > 0 ? `, ${toolBytes} bytes in each request` : "";
  const isWorking = problems.length === 0;
  tell(
    rowsOf(lookHere(line), [
      ["gives", registers.length === 0 ? [] : [registers.join(", ")]],
      ["warn", findings.flatMap(({ severity, text }) => (severity === "warning" ? [text] : []))],
      ["wrong", problems.map(({ text }) => text)],
      ["log", isWorking ? [] : printed],
    ]),
  );
  say(
    isWorking
      ? `${name} is there for every session${cost}. indus remove ${name} takes it away.`
      : `${name} is kept, and does not work here yet. indus show ${name} has what it asks for, indus remove ${name} takes it away.`,
  );
  return problems.length > 0 ? EXIT_FAULT : EXIT_OK;
}

async function remove(name: string, place: Place): Promise<number> {
  const row = known(name, readLock(place.lock));
  const parts = partsOf(name, place);
  for (const each of [...parts, row]) await removeOne(each, place);
  const also =
    parts.length === 0
      ? ""
      : ` So ${parts.length === 1 ? "is" : "are"} ${parts.map((each) => each.name).join(", ")}.`;
  return say(`${name} is gone, and so is the trust in it.${also}`);
}

async function removeOne({ name, content }: LockedPackage, place: Place): Promise<void> {
  const folder = place.store.find(name);
  place.store.remove(name);
  for (const path of tracesOf(name, { content, folder }, place))
    rmSync(path, { recursive: true, force: true });
  await createTrust(place).revoke(content);
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
    homePath(home, "registration", `${content}-${PROTOCOL_VERSION}`),
    ...(folder === undefined ? [] : [homePath(home, "addonContent", digestOf(folder))]),
  ];
}

async function turn(name: string, how: "on" | "off", place: Place): Promise<number> {
  const rows = [known(name, readLock(place.lock)), ...partsOf(name, place)];
  for (const each of rows) place.store.turn(each.name, how);
  await changeLock(place.lock, (packages) => {
    for (const row of rows) packages.set(row.name, { ...row, isOff: how === "off" || undefined });
  });
  return say(
    how === "on"
      ? `${name} is on again.`
      : `${name} is off, in sessions that begin from now on. indus enable ${name} turns it on.`,
  );
}

async function show(name: string, line: PackagesLine, place: Place): Promise<number> {
  const row = known(name, readLock(place.lock));
  if (line.flags.json) return say(JSON.stringify(row, undefined, 2));
  const folder = place.store.find(name);
  if (folder === undefined) return say(missing(row), EXIT_FAULT);
  const fetched = { name, folder, resolved: row.resolved, integrity: row.integrity, notes: [] };
  const isSame = hashAddon(folder) === row.content;
  const look = lookHere(line);
  tell([
    ...reportLines(fetched, await describe(fetched, line, place), look),
    ...rowsOf(look, [
      ["given", [row.source]],
      [
        "state",
        [
          ...(row.isOff ? ["off"] : []),
          ...(isSame ? [] : [`its files were changed since it was added: indus update ${name}`]),
        ],
      ],
    ]),
  ]);
  return EXIT_OK;
}

function list(line: PackagesLine, place: Place): number {
  const rows = [...readLock(place.lock).values()];
  if (line.flags.json) return say(JSON.stringify({ packages: rows }, undefined, 2));
  if (rows.length === 0) return say("No packages. indus add SOURCE brings one.");
  const widest = Math.max(...rows.map(({ name }) => name.length));
  return say(
    rows
      .map((row) => {
        if (place.store.find(row.name) === undefined) return missing(row);
        return `${row.name.padEnd(widest)}  ${row.isOff ? "off  " : "on   "} ${row.resolved}`;
      })
      .join("\n"),
  );
}

/** In a repository, for everybody who works in it. */
function teamLock({ cwd }: Place): string {
  return join(cwd, ".indus", "packages.lock");
}

/** What a repository names is fetched before it is asked about, so of this machine it can name only what is in the repository. */
function teamSource(text: string, { cwd }: Place): PackageSource {
  const source = parsed(text, cwd);
  if (!("path" in source) || isInside(cwd, realpathSync(source.path))) return source;
  throw new Problem(
    `${source.path} is not in ${cwd}: .indus/packages.lock can name only what is in the repository`,
  );
}

/** A path of this machine says nothing elsewhere, unless it is below the repository. */
function sharedSource(source: string, { cwd }: Place): string {
  if (!isAbsolute(source)) return source;
  if (isInside(cwd, source)) return `./${relative(cwd, source)}`;
  throw new Problem(
    `${source} is not in ${cwd}, so .indus/packages.lock cannot name it: it is added for you alone`,
  );
}

function missing({ name, source }: LockedPackage): string {
  return `${name}: its folder is missing: indus update ${name} brings it again from ${source}`;
}

function describe(
  fetched: Pick<FetchedPackage, "folder">,
  line: PackagesLine,
  { cwd, home }: Place,
): Promise<AddonDescription> {
  const loader = createTieredLoader({ workspace: cwd, home, env: line.env, requireSandbox: false });
  return loader.describe(sourceIn(fetched.folder));
}

function parsed(given: string, base: string): PackageSource {
  const source = parseSource(given, base);
  if ("problem" in source) throw new Problem(source.problem);
  return source;
}

function accessOf(files: string | undefined): PackageOptions["files"] {
  return FILE_ACCESS.find((each) => each === files);
}

function requireFree(name: string, { home, lock, store }: Place): void {
  requireName(name);
  const taken = readLock(lock).get(name);
  if (taken)
    throw new Problem(
      `${name} is there already, from ${taken.source}: indus update ${name}, or add --name NAME`,
    );
  const path = [join(homePath(home, "addons"), name), store.find(name)].find(
    (each) => each !== undefined && existsSync(each),
  );
  if (path !== undefined) throw new Problem(`${path} exists already: add --name NAME, or remove it first`);
}

function known(name: string, locked: ReadonlyMap<string, LockedPackage>): LockedPackage {
  const row = locked.get(name);
  if (row) return row;
  const meant = nearest(name, [...locked.keys()]);
  throw new Problem(
    `there is no package called "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
  );
}

/** Lines that are printable already. */
function tell(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

function lookHere({ env }: PackagesLine): LineLook {
  const { stdout } = process;
  const columns = stdout.isTTY ? stdout.columns : Number.MAX_SAFE_INTEGER; // whoever reads a pipe wants whole lines
  return { style: createStyle(usesColour(stdout, env)), columns };
}

/** Anything printed here can quote a package, so it is made printable here, in one place. */
function say(text: string, code: number = EXIT_OK): number {
  process.stdout.write(`${printable(text)}\n`);
  return code;
}
