// JSON values. Comparing and measuring them, key order and the process that wrote them make no difference.

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object: string keys, JSON values. */
export type JsonObject = { [key: string]: JsonValue };

/** Whether two JSON values are equal. Key order does not matter, and a key whose value is undefined counts as absent. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, at) => isSameJson(item, other[at]));
  }
  const [left, right] = [one, other] as readonly Readonly<Record<string, unknown>>[];
  const keys = heldKeys(left);
  return (
    keys.length === heldKeys(right).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(left?.[key], right?.[key]))
  );
}

function heldKeys(table: object | undefined): readonly string[] {
  return Object.entries(table ?? {}).flatMap(([key, value]) => (value === undefined ? [] : key));
}

/** The size of a JSON value as text, in bytes; 0 for a value that has no JSON text. Throws on a circular value. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return text === undefined ? 0 : Buffer.byteLength(text);
}

/** Whether a value is a JSON object: not a list, not null. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
