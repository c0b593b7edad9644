// Reading JSON that a server wrote: nothing about it is trusted, and a field of the wrong type reads as absent.

/** A JSON object with fields of any type. */
export type Loose = { readonly [key: string]: unknown };

/** `value` as an object to read fields from, or undefined when it is none (null and arrays are none). */
export function asObject(value: unknown): Loose | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;
}

/** `value` when it is an array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `value` when it is a string, else undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** `value` when it is a count, else 0. */
export function asCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** The object that `text` is as JSON, or undefined when it is not JSON or not an object. */
export function parseObject(text: string): Loose | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
