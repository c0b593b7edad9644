// The command line of an MCP server in another agent's file: its words as they are, except secrets, and what has to be done for
// each that means a file.

import { basename } from "node:path";
import { fetcherAdvice } from "../source/fetchers.ts";
import { type ImportedValues, isSecretValue, variableFor } from "./imported-secrets.ts";
import { isTable, type Note, type Table } from "./imported-shapes.ts";

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|sh|php|pl|lua|jar|exe)$/;
/** `--token=x`, `TOKEN=x`, `Authorization: x`. */
const NAMED = /^(?<name>[\w-]{1,100})(?<mark>=|:\s{0,8})(?<value>\S.*)$/s;
const OPTION = /^--?[\w-]{1,100}$/;
/** As a shell and `env` take it before a command. */
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]{0,99})=(.*)$/s;

/** A command line without the variables that it sets for its program. */
interface AssignedCommand {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `NAME=value npx …` and `env NAME=value npx …`. The options of `env` are not understood: such a line stays as it is. */
export function assignedCommand(line: readonly string[]): AssignedCommand {
  const isEnv = basename(line[0] ?? "") === "env" && line[1]?.startsWith("-") !== true;
  const rest = isEnv ? line.slice(1) : line;
  const first = rest.findIndex((word) => !ASSIGNMENT.test(word));
  const assigned = first < 0 ? rest : rest.slice(0, first);
  if (assigned.length === rest.length) return { words: line, env: {} };
  const pairs = assigned.map((word) => ASSIGNMENT.exec(word)?.slice(1) ?? []);
  return { words: rest.slice(assigned.length), env: Object.fromEntries(pairs) };
}

/** A server of a configuration with more variables, or other ones. */
export function withVariables(server: Table, env: Readonly<Record<string, string>>): Table {
  const given = server.env ?? server.environment;
  const own = isTable(given) ? given : {};
  return { ...server, env: { ...own, ...env }, environment: undefined };
}

export function importCommand(
  words: readonly string[],
  server: string,
  values: ImportedValues,
  note: Note,
  isThere: (path: string) => boolean,
): readonly string[] {
  const [program = ""] = words;
  const advice = fetcherAdvice(program);
  if (advice !== undefined) note(withPackage(advice, server, words));
  return words.map((word, at) => {
    const taken = takeWord(word, words[at - 1] ?? "", values, (name) =>
      variableFor(server, name ?? `argument_${at}`),
    );
    if (taken === undefined) return word;
    const place = advice === undefined && !isThere(taken) ? placeNote(taken, at === 0) : undefined;
    if (place !== undefined) note(place);
    return taken;
  });
}

/** Undefined if it refers to something that is not known to indus, which is said: then it stays for the person to replace. */
export function takeWord(
  word: string,
  before: string,
  values: ImportedValues,
  own: (name?: string) => string,
): string | undefined {
  const { name, mark, value } = NAMED.exec(word)?.groups ?? {};
  if (name !== undefined && mark !== undefined && value !== undefined) {
    const taken = values.take(name, value, own(name));
    return taken === undefined ? undefined : `${name}${mark}${taken}`;
  }
  if (OPTION.test(word)) return word;
  if (OPTION.test(before) && isSecretValue(before, word)) return values.take(before, word, own(before));
  const called = isSecretValue("", word) ? "one of its arguments" : JSON.stringify(word);
  return values.take(called, word, own());
}

/** What has to be done for a word that means a file; undefined if nothing, or if it means none. */
function placeNote(word: string, isProgram: boolean): string | undefined {
  const isPath = /^(?:\/|~|\.{1,2}(?:\/|$)|[A-Za-z]:\\)/.test(word);
  if (word.startsWith("node_modules/")) return undefined;
  if (SCRIPT.test(word) && !word.includes("://")) return `${word}: copy it into the addon's folder`;
  if (!isPath) return undefined;
  return isProgram
    ? `${word}: copy it into the addon's folder, unless it is one of the system's programs`
    : `${word} is a path: the server can see only its addon's folder, the system's folders and, with a files grant, the workspace`;
}

function withPackage(advice: string, server: string, [program = "", ...args]: readonly string[]): string {
  const what = args.find((word) => !word.startsWith("-"));
  if (!program.endsWith("npx") || what === undefined) return advice;
  return `${advice}. For this server: npm install --prefix .indus/addons/${server} ${what}`;
}
