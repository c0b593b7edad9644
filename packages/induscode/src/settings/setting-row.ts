// What a setting is: a row of `table.ts`, or of the part that it concerns.

import { isTable } from "indusagi/core";

/** What was expected instead of this value; undefined if it is valid. */
export interface Check<Value = unknown> {
  (value: unknown): string | undefined;
  /** Tells the compiler alone what passes. */
  readonly passes?: Value;
}

/** One setting. */
export interface SettingRow<Value = unknown> {
  readonly name: string;
  readonly check: Check<Value>;
  /**
   * The files in which a wrong or misspelt value stops the start, because its loss would let more pass than the file says
   * (decision 012): `own` is the person's and the machine's, `any` is a repository's as well. Absent: in none.
   */
  readonly guards?: "own" | "any";
  /** What it does, and what applies without it. */
  readonly does: string;
  readonly otherwise: string;
  /** What the page of settings adds, in Markdown; links are from the guide's folder. */
  readonly guide?: string;
  /** Those within it, if it is an object of settings. */
  readonly within?: readonly SettingRow[];
}

/** The values that pass the checks of these rows. One that is not set is absent. */
export type ValuesOf<Rows extends readonly SettingRow[]> = {
  readonly [Row in Rows[number] as Row["name"]]?: Row extends {
    readonly within: infer Inner extends readonly SettingRow[];
  }
    ? ValuesOf<Inner>
    : NonNullable<Row["check"]["passes"]>;
};

export const text: Check<string> = (value) =>
  typeof value === "string" && value !== "" ? undefined : "a non-empty string";
export const oneOf =
  <const Choice extends string>(choices: readonly Choice[]): Check<Choice> =>
  (value) =>
    choices.some((choice) => choice === value) ? undefined : `one of ${choices.join(", ")}`;
export const positive: Check<number> = (value) =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? undefined : "a positive whole number";
export const bool: Check<boolean> = (value) => (typeof value === "boolean" ? undefined : "true or false");
export const texts: Check<readonly string[]> = (value) => (isTexts(value) ? undefined : "a list of strings");
export const textsLike =
  (isGood: (each: string) => boolean, expected: string): Check<readonly string[]> =>
  (value) =>
    isTexts(value) && value.every(isGood) ? undefined : expected;
export const group =
  (rows: readonly SettingRow[]): Check =>
  (value) =>
    isTable(value) ? undefined : `an object with ${rows.map(({ name }) => name).join(", ")}`;

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whatever brings settings of its own. */
export interface BringsSettings {
  readonly settings?: readonly SettingRow[] | undefined;
}

/** What the files say for a row that a part brings; undefined if they do not. */
export function settingOf<Value>(settings: object, { name }: SettingRow<Value>): Value | undefined {
  return Object.hasOwn(settings, name)
    ? (settings as Readonly<Record<string, Value>>)[name] // its check passed when the file was read
    : undefined;
}
