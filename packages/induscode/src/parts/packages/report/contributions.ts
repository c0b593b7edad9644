// What a package brings, so that two versions of it can be compared: each contribution under words that tell it from the others, with a mark that
// changes when it does.

import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AddonDescription } from "../../../addons/contract.ts";
import type { Registration } from "../../../addons/process/protocol/messages.ts";
import { readRegistration } from "../../../addons/process/protocol/read-registration.ts";
import { createRegistrationCache, registrationKey } from "../../../addons/process/registration-cache.ts";
import { readHooks } from "../../../addons/runners/hooks/hook-table.ts";
import { entriesOf, hashAddon, originOf } from "../../../addons/source/content-hash.ts";
import { PLUGIN_PARTS, readPluginParts } from "../../../addons/source/plugin-file.ts";
import { printableLine } from "../../../console/printable-line.ts";
import { pluginTexts } from "./plugin-texts.ts";
import type { ReportRow } from "./report-rows.ts";

/** Words to mark. */
export type Contributions = ReadonlyMap<string, string>;

/** What the files of a package say, without running any of it. */
export function contributionsIn(
  folder: string,
  { contributes }: Pick<AddonDescription, "contributes">,
): Contributions {
  const found = new Map(contributes.map((words) => [words.replaceAll(`${dirname(folder)}/`, ""), ""]));
  const parts = readPluginParts(join(folder, PLUGIN_PARTS));
  if (parts === undefined) return found;
  const { skills, commands, agents, outputStyles } = pluginTexts(folder, parts);
  for (const { name, location } of skills) {
    const isFolder = basename(location).toLowerCase() === "skill.md" && dirname(location) !== folder;
    found.set(`skill ${name}`, hashAddon(isFolder ? dirname(location) : location));
  }
  for (const { name, source } of commands) found.set(`command /${name}`, readFileSync(source, "utf8"));
  for (const { name, source } of agents) found.set(`agent ${name}`, readFileSync(source, "utf8"));
  for (const { name, source } of outputStyles)
    found.set(`output style ${name}`, readFileSync(source, "utf8"));
  for (const { event, matcher, run, ...more } of readHooks(parts.hooks).commands) {
    const line = "line" in run ? run.line : [run.program, ...run.args].join(" ");
    const of = matcher === undefined || matcher === "" ? "" : ` of ${matcher}`;
    found.set(`hook ${event}${of}: ${line}`, JSON.stringify(more));
  }
  for (const [name, table] of Object.entries(parts.mcpServers))
    found.set(`MCP server ${name}`, JSON.stringify(table));
  return found;
}

/** What a program registered when it was last started: of an MCP server, its tools. */
export function registeredIn(registration: Registration): Contributions {
  const { tools, commands, handlers, interceptors, tasks } = readRegistration(registration);
  return new Map([
    ...tools.map(({ name, ...card }) => [`tool ${name}`, JSON.stringify(card)] as const),
    ...commands.map(({ name, ...card }) => [`command /${name}`, JSON.stringify(card)] as const),
    ...handlers.map(({ event, kind }) => [`${kind} ${event}`, ""] as const),
    ...interceptors.map(({ match }) => [`around ${match}`, ""] as const),
    ...tasks.map(({ id, ...card }) => [`task ${id}`, JSON.stringify(card)] as const),
  ]);
}

interface Kept {
  readonly home: string;
  /** The hash of the package's files. */
  readonly content: string;
}

/** What the program of a package with this content registered; undefined until it has been started. */
export function keptRegistration({ home, content }: Kept): Registration | undefined {
  return createRegistrationCache({ home }).find(registrationKey(content));
}

/** Throws the system's error if it cannot be written. */
export function keepRegistration({ home, content }: Kept, registration: Registration): void {
  createRegistrationCache({ home }).store(registrationKey(content), registration);
}

/** Rows for what is new, gone and changed; none for what is as it was. */
export function changeRows(before: Contributions, after: Contributions): readonly ReportRow[] {
  const [had, has] = [[...before.keys()], [...after.keys()]];
  return [
    ["new", has.filter((words) => !before.has(words)).map(oneLine)],
    ["gone", had.filter((words) => !after.has(words)).map(oneLine)],
    [
      "changed",
      has.filter((words) => before.has(words) && before.get(words) !== after.get(words)).map(oneLine),
    ],
  ];
}

const MAX_NAMED = 8;

/** The package's own files that differ, in one line. */
export function changedFiles(before: string, after: string): readonly string[] {
  const [had, has] = [filesIn(before), filesIn(after)];
  const names = [...new Set([...had.keys(), ...has.keys()])].filter(
    (name) => had.get(name) !== has.get(name),
  );
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
  return [oneLine(`files: ${names.sort().slice(0, MAX_NAMED).join(", ")}${more}`)];
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = entriesOf(folder).filter((entry) => entry.kind === "file" && originOf(entry) === "own");
  return new Map(files.map(({ name }) => [name, hashAddon(join(folder, name))]));
}

function oneLine(text: string): string {
  return printableLine(text, 300);
}
