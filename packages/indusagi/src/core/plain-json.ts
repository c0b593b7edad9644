// Whatever a caller without types hands over, as JSON: plain objects, lists, texts, finite numbers, true, false and null.

import { describeError } from "./faults.ts";
import type { JsonValue } from "./json-value.ts";
import { brief } from "./trim-ends.ts";

/** A copy of a value, or what keeps it from being JSON. */
export type PlainReading<Value = JsonValue> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

/** Far below what overruns the stack of whoever walks through the copy; in a frame of an addon, some levels are around it. */
const MAX_LEVELS = 190;
const MAX_VALUES = 100_000;
const MAX_CHARS: number = 2 * 1024 * 1024;

/**
 * Copies `value`, which may be anything: an object that holds itself, a getter that throws, a proxy, a list of functions.
 * Takes bounded time and never throws. As in JSON, a key whose value is undefined is left out.
 */
export function plainJson(value: unknown): PlainReading {
  const left = { values: MAX_VALUES, chars: MAX_CHARS };
  try {
    return { ok: true, value: copied(value, "", MAX_LEVELS, left) };
  } catch (error) {
    const problem =
      error instanceof NotPlain ? error.message : `it throws when read: ${describeError(error)}`;
    return { ok: false, problem };
  }
}

class NotPlain extends Error {}

/** How much of a value may still be copied. */
interface Left {
  values: number;
  chars: number;
}

function copied(value: unknown, at: string, levels: number, left: Left): JsonValue {
  const refused = (why: string) => new NotPlain(`${at === "" ? "it" : brief(at.slice(1))} ${why}`);
  if (--left.values < 0) throw new NotPlain(`it has more than ${MAX_VALUES} values`);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return counted(value, left);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object")
    throw refused(`is ${typeof value === "number" ? value : `a ${typeof value}`}, which JSON does not have`);
  if (levels === 0)
    throw new NotPlain(`it contains itself, or is nested more than ${MAX_LEVELS} levels deep`);
  if (Array.isArray(value)) {
    if (value.length > left.values) throw new NotPlain(`it has more than ${MAX_VALUES} values`);
    return Array.from(value, (item, index) => copied(item, `${at}/${index}`, levels - 1, left));
  }
  const entries = Object.keys(value).flatMap((key): [string, JsonValue][] => {
    const item: unknown = Reflect.get(value, key);
    return item === undefined
      ? []
      : [[counted(key, left), copied(item, `${at}/${brief(key)}`, levels - 1, left)]];
  });
  return Object.fromEntries(entries);
}

function counted(text: string, left: Left): string {
  left.chars -= text.length;
  if (left.chars < 0) throw new NotPlain(`its strings have more than ${MAX_CHARS} characters`);
  return text;
}
