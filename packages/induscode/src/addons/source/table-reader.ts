// Reads a table of a manifest: every wrong value is an error that names the key, what was expected and what was found; an
// unknown key is a warning, or an error if it reads as a misspelling of a known one. Values are copied into our own
// objects; the parsed ones go no further.

import { nearest, printable } from "indusagi/core";
import { LoaderError } from "../contract.ts";

/** Where messages go: the manifest's path for errors, a list for warnings. */
export interface ManifestReport {
  readonly path: string;
  readonly warnings: string[];
}

/** The longest text of a manifest, in characters. */
const MAX_TEXT_LENGTH = 4_096;
const MAX_SHOWN_KEY = 80;
/** The most tables of one name, and the most texts in one list. */
const MAX_LIST_LENGTH = 200;

/** One table. Each reading method throws a {@link LoaderError} of kind `invalid` for a value that does not fit. */
export class TableReader {
  readonly #table: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #report: ManifestReport;
  readonly #known = new Set<string>();

  /** `where` is how messages call the table, e.g. `[[gate]] 2`; empty for the document itself. */
  constructor(table: unknown, where: string, report: ManifestReport) {
    this.#where = where;
    this.#report = report;
    if (!isTable(table)) this.refuse(`must be a table, got ${kindOf(table)}`);
    this.#table = table;
  }

  /** A non-blank text of one line without control characters; undefined if the key is absent. */
  text(key: string): string | undefined {
    const value = this.anyText(key);
    if (value !== undefined) this.#refuseBlank(key, value);
    return value;
  }

  /** Like {@link text}, but may be blank. */
  anyText(key: string): string | undefined {
    const value = this.#take(key);
    return value === undefined ? undefined : this.#checkText(key, value);
  }

  requiredAnyText(key: string): string {
    return this.anyText(key) ?? this.refuse(`"${key}" is missing: give a string`);
  }

  /** Like {@link anyText}, with any number of lines. */
  lines(key: string): string | undefined {
    const value = this.#take(key);
    if (typeof value !== "string") return value === undefined ? undefined : this.#checkText(key, value);
    this.#checkText(key, value.replace(/\r?\n|\t/g, " "));
    return value.replaceAll("\r\n", "\n");
  }

  requiredText(key: string): string {
    const value = this.text(key);
    if (value === undefined) this.refuse(`"${key}" is missing: give a string`);
    return value;
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(key);
    const chosen = choices.find((choice) => choice === value);
    if (value !== undefined && chosen === undefined)
      this.refuse(`"${key}" must be one of ${choices.join(", ")}; got "${value}"`);
    return chosen;
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === "boolean") return value;
    return this.refuse(`"${key}" must be true or false, got ${kindOf(value)}`);
  }

  /** A text, or a list of texts; empty if the key is absent. */
  texts(key: string): readonly string[] {
    const texts = this.anyTexts(key);
    for (const text of texts) this.#refuseBlank(key, text);
    return texts;
  }

  /** Like {@link texts}, but a text alone must be one word: nothing splits it. */
  list(key: string): readonly string[] {
    const texts = this.texts(key);
    const text = this.#take(key);
    if (typeof text !== "string" || !/\s/.test(text)) return texts;
    const form = `${key} = [${text
      .trim()
      .split(/\s+/)
      .map((word) => JSON.stringify(word))
      .join(", ")}]`;
    return this.refuse(`"${key}" must be a list of strings, as in ${form}; got a string`);
  }

  /** Like {@link texts}, but may be blank. */
  anyTexts(key: string): readonly string[] {
    const value = this.#take(key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [this.#checkText(key, value)];
    if (value.length === 0 || value.length > MAX_LIST_LENGTH)
      this.refuse(`"${key}" must contain 1 to ${MAX_LIST_LENGTH} strings, got ${value.length}`);
    return value.map((item) => this.#checkText(key, item));
  }

  /** The tables of `[[key]]`; none if the key is absent. */
  tables(key: string): readonly TableReader[] {
    const value = this.#take(key);
    if (value === undefined) return [];
    if (!Array.isArray(value))
      return this.refuse(`"${key}" must be written as [[${key}]], got ${kindOf(value)}`);
    if (value.length > MAX_LIST_LENGTH)
      this.refuse(`there are ${value.length} [[${key}]] tables; at most ${MAX_LIST_LENGTH} are allowed`);
    return value.map((table, at) => new TableReader(table, `[[${key}]] ${at + 1}`, this.#report));
  }

  /** The table `[key]`; undefined if the key is absent. */
  table(key: string): TableReader | undefined {
    const value = this.#take(key);
    return value === undefined ? undefined : new TableReader(value, `[${key}]`, this.#report);
  }

  /** The texts of the table `[key]`, under any names; undefined if the key is absent. */
  dictionary(key: string): Readonly<Record<string, string>> | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const table = isTable(value) ? value : this.refuse(`"${key}" must be a table, got ${kindOf(value)}`);
    const names = Object.keys(table);
    if (names.length > MAX_LIST_LENGTH)
      this.refuse(`"${key}" has ${names.length} keys; at most ${MAX_LIST_LENGTH} are allowed`);
    return Object.fromEntries(names.map((name) => [name, this.#checkText(`${key}.${name}`, table[name])]));
  }

  /** A whole number from `min` to `max`; undefined if the key is absent. */
  wholeNumber(key: string, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    const found = typeof value === "number" ? String(value) : kindOf(value);
    return this.refuse(`"${key}" must be a whole number from ${min} to ${max}, got ${found}`);
  }

  /**
   * Warns about every key that was not read; refuses one that reads as a misspelling of a known key. If the table is
   * `closed`, any unknown key is refused: without what it meant, the rest would do something else. Call it last.
   */
  finish({ closed = false }: { readonly closed?: boolean } = {}): void {
    const known = [...this.#known];
    for (const key of Object.keys(this.#table)) {
      if (this.#known.has(key)) continue;
      const problem = `unknown key "${printable(key.slice(0, MAX_SHOWN_KEY))}"`;
      const meant = nearest(key.slice(0, MAX_SHOWN_KEY).replaceAll("_", "-"), known);
      if (meant !== undefined) this.refuse(`${problem}; did you mean "${meant}"?`);
      const list = `(known: ${known.join(", ")})`;
      if (closed) this.refuse(`${problem} ${list}`);
      this.#report.warnings.push(`${this.#report.path}: ${this.#named(problem)}; it is ignored ${list}`);
    }
  }

  /** Throws: the manifest is refused because of this table. */
  refuse(problem: string): never {
    throw new LoaderError({ kind: "invalid", path: this.#report.path }, this.#named(problem));
  }

  #take(key: string): unknown {
    this.#known.add(key);
    return Object.hasOwn(this.#table, key) ? this.#table[key] : undefined;
  }

  #checkText(key: string, value: unknown): string {
    if (typeof value !== "string") return this.refuse(`"${key}" must be a string, got ${kindOf(value)}`);
    if (value.length > MAX_TEXT_LENGTH)
      this.refuse(`"${key}" has ${value.length} characters; at most ${MAX_TEXT_LENGTH} are allowed`);
    // What a person approves must be what they see (CVE-2021-42574): one line, nothing that hides or reorders text.
    if (/[\n\t]/.test(value) || printable(value) !== value)
      this.refuse(`"${key}" must be one line without control characters`);
    return value;
  }

  #refuseBlank(key: string, value: string): void {
    if (value.trim() === "") this.refuse(`"${key}" must not be empty`);
  }

  #named(problem: string): string {
    return this.#where === "" ? problem : `${this.#where}: ${problem}`;
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  if (typeof value === "object") return "a table";
  return typeof value === "string" ? "a string" : `the ${typeof value} ${String(value)}`;
}
