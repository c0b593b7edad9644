// JSON values compared and counted as values: what was written in another order, or by another process, is the same.

/** Whether two JSON values are equal. The order of keys does not count, and a key that holds undefined counts as absent. */
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

/** How many bytes a JSON value takes as text; 0 for what JSON has no text for. Throws where there is none because of a circle. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return text === undefined ? 0 : Buffer.byteLength(text);
}

/** Whether a value is an object with names, as JSON has it: not a list, not null. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
