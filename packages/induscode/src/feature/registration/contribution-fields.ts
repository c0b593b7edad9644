// Reads an object that a feature handed over into plain facts, each field once: it may be anything, and throw at any touch.

import { brief, describeError, plainJson } from "indusagi/core";
import { oneLine } from "./one-line.ts";

/** What was read, or why it is not taken, in words that follow its name. */
export type Taken<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

/** Runs `read`; what it throws is the reason. Never throws: this is the fence between the host and what features contribute. */
export function taking<Value>(read: () => Value): Taken<Value> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    const reason = error instanceof Unfit ? error.message : `it throws when read: ${describeError(error)}`;
    return { ok: false, reason: oneLine(reason, MAX_REASON_BYTES) };
  }
}

const MAX_REASON_BYTES = 1_000;
const MAX_CHAR_BYTES = 4;
/** Of a text that is cut anyway: cleaning more of it would take time for nothing. */
const MAX_CLEANED_CHARS = 32 * 1024;

/** Thrown within {@link taking}, whose reason its message becomes. */
export class Unfit extends Error {}

/** The fields of `given`. Whatever does not fit throws {@link Unfit}: to be used within {@link taking}. */
export class Fields {
  readonly #given: object;
  readonly #place: string;

  /** `place` is where it stands in the contribution, such as `tool`; empty for the contribution itself. */
  constructor(given: unknown, place = "") {
    if (typeof given !== "object" || given === null)
      throw new Unfit(`${place || "it"} must be an object, found ${kindOf(given)}`);
    this.#given = given;
    this.#place = place === "" ? "" : `${place}.`;
  }

  /** As it is, for whoever checks it further. */
  raw(key: string): unknown {
    return Reflect.get(this.#given, key);
  }

  within(key: string): Fields {
    return new Fields(this.raw(key), `${this.#place}${key}`);
  }

  /** A name, which is taken as it is or not at all. */
  name(key: string, maxChars: number): string {
    const text = this.raw(key);
    if (typeof text !== "string") throw this.#unfit(key, "a string", text);
    if (text === "" || text.length > maxChars)
      throw new Unfit(
        `${this.#place}${key} must be a string of 1 to ${maxChars} characters, found ${text.length}`,
      );
    if (oneLine(text, maxChars * MAX_CHAR_BYTES) !== text)
      throw new Unfit(
        `${this.#place}${key} must be one line without invisible characters, found ${kindOf(text)}`,
      );
    return text;
  }

  /** Words for people or the model, in one line that is cut at `maxBytes`. */
  words(key: string, maxBytes: number): string {
    const text = this.raw(key);
    if (typeof text !== "string") throw this.#unfit(key, "a string", text);
    return oneLine(text.slice(0, MAX_CLEANED_CHARS), maxBytes);
  }

  /** Reads a field that may be absent: `given.ifThere("version", (key) => given.words(key, 100))`. */
  ifThere<Key extends string, Value>(key: Key, read: (key: Key) => Value): { readonly [K in Key]?: Value } {
    return this.raw(key) === undefined ? {} : ({ [key]: read(key) } as { readonly [K in Key]?: Value });
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice {
    const found = this.raw(key);
    const choice = choices.find((each) => each === found);
    if (choice === undefined) throw this.#unfit(key, `one of ${choices.join(", ")}`, found);
    return choice;
  }

  flag(key: string): boolean {
    const found = this.raw(key);
    if (typeof found !== "boolean") throw this.#unfit(key, "true or false", found);
    return found;
  }

  /** A finite number, 0 or more. */
  amount(key: string): number {
    const found = this.raw(key);
    if (typeof found !== "number" || !Number.isFinite(found) || found < 0)
      throw this.#unfit(key, "a number, 0 or more", found);
    return found;
  }

  /** A function of the object, which is called on it. */
  callable<Call>(key: string): Call {
    const found = this.raw(key);
    if (typeof found !== "function") throw this.#unfit(key, "a function", found);
    return found.bind(this.#given) as Call;
  }

  list<Item>(key: string, read: (item: unknown, place: string) => Item): readonly Item[] {
    const found = this.raw(key);
    if (!Array.isArray(found)) throw this.#unfit(key, "a list", found);
    if (found.length > MAX_ITEMS)
      throw new Unfit(`${this.#place}${key} has ${found.length} items; the limit is ${MAX_ITEMS}`);
    return Array.from(found, (item, at) => read(item, `${this.#place}${key}.${at}`));
  }

  names(key: string): readonly string[] {
    return this.list(key, (item, place) => {
      if (typeof item !== "string") throw new Unfit(`${place} must be a string, found ${kindOf(item)}`);
      return item;
    });
  }

  #unfit(key: string, expected: string, found: unknown): Unfit {
    return new Unfit(`${this.#place}${key} must be ${expected}, found ${kindOf(found)}`);
  }
}

/** More than any feature lists: an addon registers at most 200 of a kind. */
const MAX_ITEMS = 2_000;

/** Plain data: a copy that nobody can change. */
export function data<Value>(given: unknown, place: string): Value {
  const reading = plainJson(given);
  if (!reading.ok) throw new Unfit(`${place} is not plain data: ${reading.problem}`);
  return reading.value as Value;
}

/** What to call a thing that has no name to go by. */
export function shownName(read: () => unknown, otherwise: string): string {
  const name = taking(read);
  return name.ok && typeof name.value === "string" && name.value.trim() !== ""
    ? oneLine(name.value.slice(0, MAX_CLEANED_CHARS), MAX_SHOWN_NAME_BYTES)
    : otherwise;
}

const MAX_SHOWN_NAME_BYTES = 64;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `"${brief(value, 60)}"`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value === undefined ? "nothing" : `a ${typeof value}`;
}
