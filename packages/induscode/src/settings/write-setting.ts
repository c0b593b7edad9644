// Writes one setting into the person's own file, which keeps its comments and its order. What is written passes the checks that a start
// makes.

import { createRequire } from "node:module";
import { describeError, errorCode, isTable, nearest } from "indusagi/core";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJsonText, readJsonTolerantly } from "../store/json.ts";
import { throughLink, updateFile } from "../store/replace-file.ts";
import { keepValid } from "./check-settings.ts";
import type { SettingRow } from "./setting-row.ts";

type JsonEditor = Pick<typeof import("jsonc-parser"), "modify" | "applyEdits">;

/** Removes a setting, so that its default applies again. */
export const UNSET = "unset";

/** Where a setting is written. */
export interface SettingsPlace {
  readonly home: string;
  /** Links are followed only inside it. */
  readonly personHome: string;
  /** Everything that could be set. */
  readonly settingsTable: readonly SettingRow[];
}

interface Written {
  readonly path: string;
  /** Undefined if it was removed. */
  readonly value: unknown;
}

/** Every name that can be written, those in groups with a point: `permissions.mode`. */
function namesIn(table: readonly SettingRow[]): readonly string[] {
  return table.flatMap(({ name, within = [] }) => [name, ...within.map((row) => `${name}.${row.name}`)]);
}

/**
 * Sets `name` to what a person typed: JSON, or a text without quotes. Returns what was written and where, or why nothing was.
 */
export async function writeSetting(
  name: string,
  typed: string,
  place: SettingsPlace,
): Promise<Written | string> {
  const names = namesIn(place.settingsTable);
  if (!names.includes(name)) {
    const near = nearest(name, names);
    return `"${name}" is not a setting.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  }
  const keys = name.split(".");
  const found = typed === UNSET ? { value: undefined } : goodValue(keys, typed, place.settingsTable);
  if ("problem" in found) return `Nothing was written: ${found.problem}.`;
  try {
    const path = throughLink(homePath(place.home, "settings"), place.personHome);
    const problem = await brokenFile(path);
    if (problem !== undefined) return `Nothing was written: ${problem}. Correct the file first.`;
    await updateFile(path, () => edited(textAt(path), keys, found.value));
    return { path, value: found.value };
  } catch (error) {
    return `Nothing was written: ${describeError(error)}.`;
  }
}

/** What was typed as JSON, if that passes the setting's check; else as a text. */
function goodValue(
  keys: readonly string[],
  typed: string,
  table: readonly SettingRow[],
): { readonly value: unknown } | { readonly problem: string } {
  const [first = "", second] = keys;
  const inFile = (value: unknown) => ({ [first]: second === undefined ? value : { [second]: value } });
  let problem = "";
  for (const value of [...jsonIn(typed), typed]) {
    const [fault] = keepValid(inFile(value), true, table).faults;
    if (fault === undefined) return { value };
    problem ||= `${fault.problem.replace(/; .*$/, "")}, found ${typed}`;
  }
  return { problem };
}

function jsonIn(typed: string): readonly unknown[] {
  try {
    return [JSON.parse(typed)];
  } catch {
    return []; // a text without quotes
  }
}

/** Why a file cannot be added to; undefined if it can, or is not there yet. */
async function brokenFile(path: string): Promise<string | undefined> {
  try {
    const { text, value, problem } = await readJsonTolerantly(path, HOME_FILES.settings.maxBytes);
    if (text.trim() === "") return undefined;
    if (problem) return `${path}: ${describeError(problem)}`;
    return isTable(value) ? undefined : `${path} holds no object of settings`;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function textAt(path: string): string {
  try {
    return readJsonText(path, HOME_FILES.settings.maxBytes);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function edited(text: string, keys: readonly string[], value: unknown): string {
  const { modify, applyEdits } = createRequire(import.meta.url)("jsonc-parser") as JsonEditor;
  const before = text.trim() === "" ? "{}\n" : text;
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyEdits(before, modify(before, [...keys], value, { formattingOptions }));
}
