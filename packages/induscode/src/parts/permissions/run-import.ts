// `indus permissions import`: shows what each rule of another agent's settings becomes, asks once, and writes them into the person's settings.

import { join, resolve } from "node:path";
import { describeError, homeFolder, printable } from "indusagi/core";
import { askYes } from "../../cli/ask-yes.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { writeSetting } from "../../settings/write-setting.ts";
import { indusHome } from "../../store/home.ts";
import { readJsonTolerantly } from "../../store/json.ts";
import { type ImportedRule, importRules, LISTS, permissionsIn } from "./import-rules.ts";

const MAX_SETTINGS_BYTES: number = 1024 * 1024;

export async function runImport({
  words,
  env,
  flags,
  parts,
  startedIn,
}: Invocation<{ readonly yes?: boolean | undefined }>): Promise<number> {
  const personHome = homeFolder(env);
  const home = indusHome(env);
  const [, , given] = words;
  const path = given === undefined ? join(personHome, ".claude/settings.json") : resolve(startedIn, given);
  const permissions = permissionsIn(await settingsAt(path));
  if (permissions === undefined) throw new Problem(`${path} has no permissions`);
  const { rows, others } = importRules(permissions);
  const { rules, table } = await loadSettings(home, home, parts);
  const has = ({ list, rule }: ImportedRule): boolean =>
    rules.some((each) => each.layer === "person" && each.list === list && each.source === rule);
  const added = rows.filter((row) => row.rule !== undefined && !has(row));
  const lines = [
    ...rows.map((row) => inWords(row, has(row))),
    ...others.map((line) => `not imported  ${line}`),
  ];
  process.stdout.write(`${lines.map((line) => printable(line)).join("\n")}\n`);
  if (added.length === 0) {
    process.stdout.write("There are no new rules to import.\n");
    return EXIT_OK;
  }
  const count = `${added.length} ${added.length === 1 ? "rule" : "rules"}`;
  if (flags.yes !== true && !(await askYes(`Add ${count} to your settings, for every folder?`))) {
    process.stdout.write("Nothing was written.\n");
    return EXIT_FAULT;
  }
  // Whatever ends this in between, nothing is allowed yet that one of them refuses.
  for (const list of LISTS) {
    const more = added.filter((row) => row.list === list).flatMap(({ rule }) => rule ?? []);
    if (more.length === 0) continue;
    const own = rules.filter((each) => each.layer === "person" && each.list === list);
    const all = [...own.map(({ source }) => source), ...new Set(more)];
    const place = { home, personHome, settingsTable: table };
    const written = await writeSetting(`permissions.${list}`, JSON.stringify(all), place);
    if (typeof written === "string") throw new Problem(written);
  }
  process.stdout.write(`${count} added. indus why 'bash(git push)' says how a call is decided now.\n`);
  return EXIT_OK;
}

async function settingsAt(path: string): Promise<unknown> {
  try {
    const { value, problem } = await readJsonTolerantly(path, MAX_SETTINGS_BYTES);
    if (problem === undefined) return value;
    throw problem;
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${describeError(error)}`);
  }
}

function inWords({ list, written, rule, why }: ImportedRule, isThere: boolean): string {
  const outcome = rule === undefined ? `not imported: ${why}` : isThere ? "you have it already" : "new";
  return `${list.padEnd(5)}  ${written}  ${outcome}`;
}
