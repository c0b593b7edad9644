// A schema as nearly all authors write it, which reading would leave as it is: one walk copies it, in a fifth of the time. A start reads the
// schemas of all tools, of which most are never called.

import type { JsonObject, JsonValue } from "../json-value.ts";
import { expectedOf, holdsOf } from "./schema-keywords.ts";

interface PlainSchema {
  readonly schema: JsonObject;
  readonly isCostly: boolean;
}

/** Beyond these, and with any keyword that another dialect has in another way or that refers, the whole reading decides. */
const MAX_LEVELS = 30;
const MAX_VALUES = 5_000;
const MAX_CHARS = 128 * 1024;
/** It matters to references alone, and the models' dialect is another. */
const DIALECT = "$schema";
const PLAIN: ReadonlySet<string> = new Set(
  (
    "additionalProperties allOf anyOf const contains default deprecated description enum examples exclusiveMaximum exclusiveMinimum " +
    "format items maxItems maxLength maximum minItems minLength minimum multipleOf oneOf properties readOnly required title type writeOnly"
  ).split(" "),
);

type Read = (part: unknown) => JsonValue | undefined;

/** Undefined if it is no such schema, whatever it is. Never throws. */
export function plainSchema(foreign: unknown): PlainSchema | undefined {
  const walk = new Walk();
  try {
    const schema = walk.schema(foreign, 0);
    return typeof schema === "object" ? { schema, isCostly: walk.isCostly } : undefined;
  } catch {
    return undefined; // it throws when it is read, which the whole reading tells
  }
}

/** Each part is undefined where it is not plain. */
class Walk {
  isCostly = false;
  #values = 0;
  #chars = 0;

  schema(given: unknown, level: number): JsonObject | boolean | undefined {
    if (typeof given === "boolean") return level === 0 ? undefined : given;
    if (!this.#isPlain(given, level)) return undefined;
    const copy: JsonObject = {};
    for (const keyword of Object.keys(given)) {
      const value = given[keyword];
      if (keyword === DIALECT && typeof value === "string") continue;
      if (!PLAIN.has(keyword)) return undefined;
      const part = this.#part(keyword, value, level);
      if (part === undefined || expectedOf(keyword, part) !== undefined) return undefined;
      if (keyword === "format") {
        if ((part as string) in Object.prototype) return undefined;
        this.isCostly = true;
      }
      copy[keyword] = part;
    }
    return copy;
  }

  #part(keyword: string, value: unknown, level: number): JsonValue | undefined {
    switch (holdsOf(keyword)) {
      case "value":
        // In draft 4, these two may be true or false.
        return keyword.startsWith("exclusive") && typeof value !== "number"
          ? undefined
          : this.#value(value, level);
      case "named schemas":
        return this.#record(value, level, (part) => this.schema(part, level + 1));
      case "schemas":
        return Array.isArray(value)
          ? this.#list(value, level, (item) => this.schema(item, level + 1))
          : undefined;
      default:
        return this.schema(value, level + 1);
    }
  }

  #value(given: unknown, level: number): JsonValue | undefined {
    if (typeof given === "string") {
      this.#chars += given.length;
      return this.#chars > MAX_CHARS ? undefined : given;
    }
    if (typeof given === "boolean" || given === null) return given;
    if (typeof given === "number") return Number.isFinite(given) ? given : undefined;
    const below = (part: unknown): JsonValue | undefined => this.#value(part, level + 1);
    return Array.isArray(given) ? this.#list(given, level, below) : this.#record(given, level, below);
  }

  #record(given: unknown, level: number, read: Read): JsonObject | undefined {
    if (!this.#isPlain(given, level)) return undefined;
    const copy: JsonObject = {};
    for (const name of Object.keys(given)) {
      const part = name === "__proto__" ? undefined : read(given[name]);
      if (part === undefined) return undefined;
      this.#chars += name.length;
      copy[name] = part;
    }
    return copy;
  }

  #list(given: readonly unknown[], level: number, read: Read): JsonValue[] | undefined {
    this.#values += given.length;
    if (this.#values > MAX_VALUES || level >= MAX_LEVELS) return undefined;
    const copy: JsonValue[] = [];
    for (const item of given) {
      const part = read(item);
      if (part === undefined) return undefined;
      copy.push(part);
    }
    return copy;
  }

  #isPlain(given: unknown, level: number): given is Readonly<Record<string, unknown>> {
    this.#values += 1;
    return (
      typeof given === "object" &&
      given !== null &&
      Object.getPrototypeOf(given) === Object.prototype &&
      this.#values <= MAX_VALUES &&
      this.#chars <= MAX_CHARS &&
      level < MAX_LEVELS
    );
  }
}
