// `indus add|remove|update|list|show|enable|disable`: what a person has from others, in one step each. Nothing is kept before they have read
// what it is, and nothing of it runs before that.

import { assignedCommand } from "../../addons/author/imported-command.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { MAX_START_SECONDS } from "../../addons/source/manifest.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { learnKeptSecrets } from "../../session/kept-secrets.ts";
import { readNamedSecrets } from "../../store/named-secrets.ts";
import { addEach, bring, bringServers, partsOf, removeOne } from "./bring-package.ts";
import { serversInFile } from "./fetch-server.ts";
import {
  changeLock,
  FILE_ACCESS,
  isStartSeconds,
  type LockedPackage,
  type PackageOptions,
  readLock,
} from "./package-lock.ts";
import { SOURCE_FORMS } from "./package-source.ts";
import {
  describe,
  known,
  lookHere,
  type PackagesLine,
  type Place,
  parsed,
  placeOf,
  say,
  settle,
  tell,
} from "./packages-here.ts";
import { collisionsOf } from "./report/collisions.ts";
import { contributionsIn, keptRegistration, registeredIn } from "./report/contributions.ts";
import { costHere } from "./report/package-cost.ts";
import { reportLines } from "./report/package-report.ts";
import { rowsOf } from "./report/report-rows.ts";
import { teamLock, teamSource } from "./team-lock.ts";

/** Runs one subcommand and returns the exit code. Throws a {@link Problem}. */
export async function runPackages(line: PackagesLine): Promise<number> {
  const [verb, subject = ""] = line.words;
  const place = placeOf(line);
  learnKeptSecrets(place.home, line.secrets);
  await settle(place);
  switch (verb) {
    case "add":
      if (line.flags.from !== undefined)
        return (await import("./bring-together.ts")).addFromClaude(line, place);
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

export async function add(given: string, line: PackagesLine, place: Place): Promise<number> {
  const [, marketplace] = /^marketplace:(.+)$/s.exec(given) ?? [];
  if (marketplace !== undefined)
    return (await import("./run-marketplaces.ts")).addMarketplace(marketplace, line);
  const source = parsed(given, line.startedIn);
  const { flags } = line;
  const options: PackageOptions = {
    files: accessOf(flags.files),
    hosts: flags.host,
    secrets: flags.secret,
    asks: flags.ask,
    browser: flags.browser,
    sampling: flags.sampling,
    unconfined: flags.unconfined,
    env: variablesOf(flags.env),
    startSeconds: startSecondsOf(flags["start-seconds"]),
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
  if (missing.length === 0) return say(`Everything in ${path} is already added.`);
  return addEach(
    missing,
    ({ name }) => name,
    (row) => {
      // A repository lets nothing out of the sandbox.
      const { name, options: { unconfined: _, ...options } = {} } = row;
      const { source, pinned } = teamSource(row, place);
      return bring(source, { options, name, pinned, within: place.cwd, base: place.cwd }, line, place);
    },
  );
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
  const { name } = line.flags;
  if (options.unconfined === true && servers.length > 1)
    throw new Problem(
      `--unconfined is for one server, and ${path} lists ${servers.length}: add one, ${path}#${servers[0]}`,
      EXIT_USAGE,
    );
  if (name !== undefined && servers.length > 1)
    throw new Problem(
      `${path} lists ${servers.length} MCP servers, which cannot all be called ${name}: add one, ${path}#${servers[0]}`,
      EXIT_USAGE,
    );
  return bringServers(servers, path, () => ({ options, name }), line, place);
}

export async function update(name: string, line: PackagesLine, place: Place): Promise<number> {
  const locked = readLock(place.lock);
  const named = name === "" ? [...locked.values()] : [known(name, locked)];
  const wanted = new Set(named.map((row) => locked.get(row.partOf ?? "") ?? row));
  if (wanted.size === 0) return say("No packages yet. To add one: indus add SOURCE");
  return addEach(
    [...wanted],
    (before) => before.name,
    async (before) => {
      const { options = {}, base = line.startedIn } = before;
      if (options.unconfined === true && name === "" && line.flags.yes === true)
        throw new Problem(
          `it runs outside of the sandbox, so it is updated alone: indus update ${before.name}`,
        );
      const source = parsed(before.source, base);
      return bring(source, { options, name: before.name, before, base }, line, place);
    },
  );
}

export async function remove(name: string, place: Place): Promise<number> {
  const row = known(name, readLock(place.lock));
  const parts = partsOf(name, place);
  for (const each of [...parts, row]) await removeOne(each, place);
  const names = [name, ...parts.map((each) => each.name)];
  return say(`Removed ${names.join(", ")}, with what you granted.`);
}

async function turn(name: string, how: "on" | "off", place: Place): Promise<number> {
  const rows = [known(name, readLock(place.lock)), ...partsOf(name, place)];
  for (const each of rows) place.store.turn(each.name, how);
  await changeLock(place.lock, (packages) => {
    for (const row of rows) packages.set(row.name, { ...row, isOff: how === "off" || undefined });
  });
  return say(
    how === "on"
      ? `${name} is turned on again.`
      : `${name} is off, in sessions that begin from now on. indus enable ${name} turns it on.`,
  );
}

export async function show(name: string, line: PackagesLine, place: Place): Promise<number> {
  const row = known(name, readLock(place.lock));
  const folder = place.store.find(name);
  if (folder === undefined)
    return line.flags.json ? say(JSON.stringify(row, undefined, 2)) : say(missing(row), EXIT_FAULT);
  const { resolved, integrity, provenance, content } = row;
  const description = await describe({ folder }, line, place);
  const registration = keptRegistration({ home: place.home, content });
  const offers = registration === undefined ? [] : [...registeredIn(registration).keys()];
  const hasProgram = description.confinement !== undefined;
  const cost = await costHere({ folder, hasProgram, content }, line, place);
  if (line.flags.json) {
    const contributions = [...new Set([...contributionsIn(folder, description).keys(), ...offers])];
    const { version } = description;
    return say(JSON.stringify({ ...row, version, contributions, cost }, undefined, 2));
  }
  const look = lookHere(line);
  const collisions = row.isOff ? [] : await collisionsOf({ name, folder }, line, place);
  const keptHere = secretsKeptFor(name, place.home);
  const isSame = hashAddon(folder) === content;
  const changed = `its files were changed since it was added: indus update ${name}`;
  tell([
    ...(await reportLines({ name, folder, resolved, integrity, provenance, notes: [] }, description, {
      look,
      parts: line.parts,
      cost: cost.words,
      collisions,
    })),
    ...rowsOf(look, [
      ["gives", offers.length === 0 ? [] : [offers.join(", ")]],
      ["given", [row.source]],
      ["secret", keptHere.map((each) => `${each} is kept in secrets.json, readable only by you`)],
      ["state", [row.isOff ? "off" : "on"]],
      ["warn", isSame ? [] : [changed]],
    ]),
  ]);
  return EXIT_OK;
}

function list(line: PackagesLine, place: Place): number {
  const rows = [...readLock(place.lock).values()];
  if (line.flags.json) return say(JSON.stringify({ packages: rows }, undefined, 2));
  if (rows.length === 0) return say("No packages yet. To add one: indus add SOURCE");
  const widest = Math.max(...rows.map(({ name }) => name.length));
  return say(
    rows
      .map((row) => {
        if (place.store.find(row.name) === undefined) return missing(row);
        const outside = row.options?.unconfined === true ? "  outside of the sandbox" : "";
        return `${row.name.padEnd(widest)}  ${row.isOff ? "off  " : "on   "} ${printableLine(row.resolved)}${outside}`;
      })
      .join("\n"),
  );
}

/** Those that came with it. */
function secretsKeptFor(name: string, home: string): readonly string[] {
  return Object.entries(readNamedSecrets(home)).flatMap(([id, { of }]) => (of.includes(name) ? [id] : []));
}

export function missing({ name, source }: LockedPackage): string {
  return `${name}: its folder is missing: indus update ${name} fetches it again from ${source}`;
}

/** Of `--env NAME=VALUE`. Throws a {@link Problem} for anything else. */
function variablesOf(given: readonly string[] | undefined): PackageOptions["env"] {
  if (given === undefined) return undefined;
  const pairs = given.map((text) => {
    const { env } = assignedCommand([text, "server"]);
    if (Object.keys(env).length === 1) return env;
    throw new Problem(`--env ${text}: expected NAME=VALUE, such as --env LOG_LEVEL=debug`, EXIT_USAGE);
  });
  return Object.assign({}, ...pairs) as PackageOptions["env"];
}

function startSecondsOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (isStartSeconds(seconds)) return seconds;
  throw new Problem(
    `--start-seconds ${given}: expected a whole number of seconds, from 1 to ${MAX_START_SECONDS}`,
    EXIT_USAGE,
  );
}

function accessOf(files: string | undefined): PackageOptions["files"] {
  return FILE_ACCESS.find((each) => each === files);
}
