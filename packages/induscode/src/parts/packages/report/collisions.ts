// What of a package has a name that is in use here, and which of the two keeps it: all is read as a session reads it, once without the package and
// once with it.

import { join } from "node:path";
import { homeFolder } from "indusagi/core";
import { MANIFEST_FILENAME } from "../../../addons/contract.ts";
import { readManifest } from "../../../addons/kinds/declarative-loader.ts";
import { PLUGIN_PARTS, type PluginParts, readPluginParts } from "../../../addons/source/plugin-file.ts";
import { gatherAgents } from "../../../briefing/agent-files.ts";
import { gatherMacros } from "../../../briefing/macro-files.ts";
import { gatherStyles } from "../../../briefing/output-styles.ts";
import type { PackageTexts, ProductPlaces } from "../../../briefing/places.ts";
import { gatherSkillCards, skillRoots } from "../../../briefing/skills.ts";
import { findFile } from "../../../briefing/text-file.ts";
import { heldNamesHere } from "../../../session/features/held-names-here.ts";
import { packageTexts } from "../../../session/features/package-texts.ts";
import { commandNamesOf } from "../../../session/part-features.ts";
import { readLock } from "../package-lock.ts";
import { nameFor } from "../package-source.ts";
import { sourceIn } from "../package-store.ts";
import type { PackagesLine, Place } from "../packages-here.ts";
import { type PluginTexts, pluginTexts } from "./plugin-texts.ts";

/** One text, under the name by which it is reached. */
interface Named {
  readonly kind: "skill" | "command" | "agent" | "output style";
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

interface Subject {
  /** What the package is called. */
  readonly name: string;
  readonly folder: string;
}

/** One line for each name. */
export async function collisionsOf(
  { name, folder }: Subject,
  line: PackagesLine,
  place: Place,
): Promise<readonly string[]> {
  const { packages } = await packageTexts(place.home);
  const others = packages.filter((each) => each.name !== name);
  const placesWith = await placesHere(line, place);
  const before = namedIn(placesWith(others));
  const parts = readPluginParts(join(folder, PLUGIN_PARTS));
  if (parts === undefined) return takenCommands(await declaredCommands(folder), before);
  const own = textsOf(name, folder, parts);
  const all = [...others, own].sort((one, other) => (one.name < other.name ? -1 : 1)); // as a session takes them
  const after = namedIn(placesWith(all));
  const builtIn = await commandNamesOf(line.parts);
  return [
    ...namedOf(pluginTexts(folder, parts)).flatMap((each) => collision(each, name, { after, builtIn })),
    ...before.flatMap((each) => displaced(each, after, name)),
    ...serverCollisions(name, parts, place),
  ];
}

/** Of the commands that a code addon has registered: those that a file has already. */
export async function commandsInUse(
  registers: readonly string[],
  line: PackagesLine,
  place: Place,
): Promise<readonly string[]> {
  const names = registers.flatMap((label) => /^command \/(.+)$/.exec(label)?.[1] ?? []);
  if (names.length === 0) return [];
  const { packages } = await packageTexts(place.home);
  return takenCommands(names, namedIn((await placesHere(line, place))(packages)));
}

async function placesHere(
  { env }: PackagesLine,
  { cwd, home }: Place,
): Promise<(packages: readonly PackageTexts[]) => ProductPlaces> {
  const held = await heldNamesHere(home);
  const heldBack = (path: string): string | undefined => held.refusal(path);
  return (packages) => ({ cwd, home: homeFolder(env), indusHome: home, packages, heldBack });
}

function namedIn(places: ProductPlaces): readonly Named[] {
  return namedOf({
    skills: gatherSkillCards(skillRoots(places), { isLenient: true }).cards,
    commands: gatherMacros(places).macros,
    agents: gatherAgents(places).profiles,
    outputStyles: gatherStyles(places).styles,
  });
}

function namedOf({
  skills,
  commands,
  agents,
  outputStyles,
}: Omit<PluginTexts, "problems">): readonly Named[] {
  return [
    ...skills.map(({ name, location, body }): Named => ({ kind: "skill", name, path: location, text: body })),
    ...commands.map(({ name, source, body }): Named => ({ kind: "command", name, path: source, text: body })),
    ...agents.map(
      ({ name, source, prompt = "" }): Named => ({ kind: "agent", name, path: source, text: prompt }),
    ),
    ...outputStyles.map(
      ({ name, source, body }): Named => ({ kind: "output style", name, path: source, text: body }),
    ),
  ];
}

interface Names {
  readonly after: readonly Named[];
  readonly builtIn: ReadonlySet<string>;
}

function collision(own: Named, packageName: string, { after, builtIn }: Names): readonly string[] {
  const { kind, name, path, text } = own;
  const said = inWords(own);
  if (kind === "command" && builtIn.has(name.toLowerCase()))
    return [`its ${said} will be /${packageName}:${name}: the built-in command keeps the name /${name}`];
  const found = after.find((each) => each.kind === kind && each.path === path);
  if (found?.name === name) return [];
  const holder = after.find((each) => each.kind === kind && each.name === name);
  if (found !== undefined)
    return [`its ${said} will be ${spelled(found)}: ${holderInWords(holder)} keeps the name ${spelled(own)}`];
  if (holder === undefined) return []; // another problem, which the report has
  if (holder.text === text) return [`its ${said} is the same as ${holderInWords(holder)}, which is used`];
  return [`its ${said} cannot be used: ${holderInWords(holder)} keeps that name`];
}

/** What becomes of a text that is here already: a package whose name comes first takes its name. */
function displaced(had: Named, after: readonly Named[], name: string): readonly string[] {
  const now = after.find((each) => each.kind === had.kind && each.path === had.path);
  if (now?.name === had.name || had.path === BUILT_IN) return [];
  if (now === undefined) return [`the ${inWords(had)} of ${had.path} gives way to that of ${name}`];
  return [`the ${inWords(had)} of ${had.path} will be ${spelled(now)}: ${name} has the name ${spelled(had)}`];
}

/** What profiles that are no files have for their path. */
const BUILT_IN = "built in";

function holderInWords(holder: Named | undefined): string {
  return holder === undefined || holder.path === BUILT_IN ? "the built-in one" : holder.path;
}

function inWords(named: Named): string {
  return `${named.kind} ${spelled(named)}`;
}

function spelled({ kind, name }: Named): string {
  return `${kind === "command" ? "/" : ""}${name}`;
}

function serverCollisions(name: string, { mcpServers }: PluginParts, { lock }: Place): readonly string[] {
  const locked = readLock(lock);
  return Object.keys(mcpServers).flatMap((server) => {
    const called = nameFor(`${name}-${server}`) ?? "";
    const other = locked.get(called);
    return other === undefined || other.partOf === name
      ? []
      : [`its MCP server ${server} cannot be added: another package is called ${called}`];
  });
}

/** An addon takes no command of a file's. */
function takenCommands(names: readonly string[], named: readonly Named[]): readonly string[] {
  return names.flatMap((name) => {
    const holder = named.find((each) => each.kind === "command" && each.name.toLowerCase() === name);
    return holder === undefined
      ? []
      : [`its command /${name} cannot be used: ${holderInWords(holder)} keeps that name`];
  });
}

async function declaredCommands(folder: string): Promise<readonly string[]> {
  const source = sourceIn(folder);
  if (findFile(join(source.path, MANIFEST_FILENAME)) === undefined) return [];
  const { descriptor } = await readManifest(source);
  return descriptor.run === undefined ? descriptor.commands.map(({ name }) => name) : [];
}

function textsOf(name: string, root: string, parts: PluginParts): PackageTexts {
  const at = (paths: readonly string[]): readonly string[] => paths.map((path) => join(root, path));
  return {
    name,
    root,
    skills: at(parts.skills),
    commands: at(parts.commands),
    agents: at(parts.agents),
    outputStyles: at(parts.outputStyles),
  };
}
