// The permissive argument parse that every tool shares. A bad field is noted and read on, so that the model hears of
// all of them at once and no tool throws.

import type { JsonObject, JsonValue } from "../../core/json-schema.ts";

/** Reads named fields of a model's argument bag. `null` counts as absent. Ask {@link problem} before using a value. */
export class ArgumentReader {
  readonly #fields: JsonObject;
  readonly #problems: string[] = [];

  constructor(input: JsonValue) {
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    this.#fields = isObject ? input : {};
    if (!isObject) this.#problems.push(`The arguments must be an object, got ${kindOf(input)}.`);
  }

  /** Everything wrong so far, in one line; undefined when all is well. */
  get problem(): string | undefined {
    return this.#problems.length > 0 ? this.#problems.join(" ") : undefined;
  }

  /** The field as it came; undefined when absent. */
  raw(name: string): JsonValue | undefined {
    return (Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined) ?? undefined;
  }

  /** A string that must be there and not be empty. */
  requiredText(name: string): string {
    const value = this.presentText(name);
    if (value === "" && this.raw(name) === "") this.#refuse(`"${name}" must not be empty.`);
    return value;
  }

  /** A string that must be there, possibly empty. */
  presentText(name: string): string {
    const value = this.text(name);
    if (value === undefined) this.#refuse(`"${name}" is missing: give a string.`);
    return value ?? "";
  }

  /** A string, possibly empty, or undefined when absent. */
  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    this.#refuse(`"${name}" must be a string, got ${kindOf(value)}.`);
    return "?"; // never used: `problem` is set
  }

  /** A path that must be there, and not be empty or only blanks: a name like that is a slip, and nobody sees it. */
  requiredPath(name: string): string {
    const value = this.requiredText(name);
    this.#refuseBlank(name, value);
    return value;
  }

  /** A path, or undefined when absent; `instead` says what being absent means. */
  path(name: string, instead: string): string | undefined {
    const value = this.text(name);
    if (value === "") this.#refuse(`"${name}" must not be empty. Leave it out for ${instead}.`);
    else if (value !== undefined) this.#refuseBlank(name, value);
    return value;
  }

  /** A finite integer of at least 1, or undefined when absent. */
  positiveInt(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
    this.#refuse(`"${name}" must be a positive whole number, got ${shown(value)}.`);
    return undefined;
  }

  /** A finite integer of at least 0, or undefined when absent. */
  naturalInt(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    this.#refuse(`"${name}" must be a whole number from 0, got ${shown(value)}.`);
    return undefined;
  }

  /** A finite number above 0, rounded down but never below 1, or undefined when absent. */
  positiveNumber(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isFinite(value) && value > 0)
      return Math.max(1, Math.floor(value));
    this.#refuse(`"${name}" must be a positive number, got ${shown(value)}.`);
    return undefined;
  }

  /** A boolean, also when spelt "true" or "false"; false when absent. */
  flag(name: string): boolean {
    const value = this.raw(name);
    if (value === undefined || value === false || value === "false") return false;
    if (value === true || value === "true") return true;
    this.#refuse(`"${name}" must be true or false, got ${shown(value)}.`);
    return false;
  }

  /** One of `choices`, or undefined when absent. */
  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.raw(name);
    const choice = choices.find((candidate) => candidate === value);
    if (value !== undefined && choice === undefined) {
      this.#refuse(
        `"${name}" must be one of ${choices.map((one) => `"${one}"`).join(", ")}, got ${shown(value)}.`,
      );
    }
    return choice;
  }

  #refuseBlank(name: string, value: string): void {
    if (/^\s+$/.test(value)) this.#refuse(`"${name}" holds only blanks: give a path.`);
  }

  #refuse(problem: string): void {
    this.#problems.push(problem);
  }
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const SHOWN_CHARS = 60;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
