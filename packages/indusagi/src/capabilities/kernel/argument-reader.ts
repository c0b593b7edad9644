// The permissive argument parsing that every tool shares. A bad field is recorded and parsing continues, so that the model
// learns of all problems at once and no tool throws.

import type { JsonObject, JsonValue } from "../../core/schema/json-schema.ts";

/** Reads named fields of a model's arguments. `null` counts as absent. Check {@link problem} before using a value. */
export class ArgumentReader {
  readonly #fields: JsonObject;
  readonly #problems: string[] = [];

  constructor(input: JsonValue) {
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    this.#fields = isObject ? input : {};
    if (!isObject) this.#problems.push(`The arguments must be an object, got ${kindOf(input)}.`);
  }

  /** Everything wrong so far, in one line; undefined if there is nothing. */
  get problem(): string | undefined {
    return this.#problems.length > 0 ? this.#problems.join(" ") : undefined;
  }

  /** The field unchanged; undefined if absent. */
  raw(name: string): JsonValue | undefined {
    return (Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined) ?? undefined;
  }

  /** A required, non-empty string. */
  requiredText(name: string): string {
    const value = this.presentText(name);
    if (value === "" && this.raw(name) === "") this.#refuse(`"${name}" must not be empty.`);
    return value;
  }

  /** A required string, possibly empty. */
  presentText(name: string): string {
    const value = this.text(name);
    if (value === undefined) this.#refuse(`"${name}" is missing: expected a string.`);
    return value ?? "";
  }

  /** A string, possibly empty, or undefined if absent. */
  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    this.#refuse(`"${name}" must be a string, got ${kindOf(value)}.`);
    return "?"; // never used: `problem` is set
  }

  /** A required path that is not empty or only whitespace: such a name is a mistake, and invisible. */
  requiredPath(name: string): string {
    const value = this.requiredText(name);
    this.#refuseBlank(name, value);
    return value;
  }

  /** A path, or undefined if absent; `instead` says what its absence means. */
  path(name: string, instead: string): string | undefined {
    const value = this.text(name);
    if (value === "") this.#refuse(`"${name}" must not be empty. Omit it for ${instead}.`);
    else if (value !== undefined) this.#refuseBlank(name, value);
    return value;
  }

  /** A finite integer of at least 1, or undefined if absent. */
  positiveInt(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
    this.#refuse(`"${name}" must be a positive whole number, got ${shown(value)}.`);
    return undefined;
  }

  /** A finite integer of at least 0, or undefined if absent. */
  naturalInt(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    this.#refuse(`"${name}" must be a non-negative whole number, got ${shown(value)}.`);
    return undefined;
  }

  /** A finite number above 0, rounded down but never below 1, or undefined if absent. */
  positiveNumber(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isFinite(value) && value > 0)
      return Math.max(1, Math.floor(value));
    this.#refuse(`"${name}" must be a positive number, got ${shown(value)}.`);
    return undefined;
  }

  /** A boolean, also if written "true" or "false"; false if absent. */
  flag(name: string): boolean {
    const value = this.raw(name);
    if (value === undefined || value === false || value === "false") return false;
    if (value === true || value === "true") return true;
    this.#refuse(`"${name}" must be true or false, got ${shown(value)}.`);
    return false;
  }

  /** One of `choices`, or undefined if absent. */
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
    if (/^\s+$/.test(value)) this.#refuse(`"${name}" contains only whitespace: expected a path.`);
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
