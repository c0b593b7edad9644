// Of what a server sends, nothing is certain.

export type Table = Readonly<Record<string, unknown>>;

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a value is, for a message: `a list`, `a number`, `missing`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The host refuses a deeper message, whole. */
export const MAX_DEPTH = 100;

export function isTooDeep(value: unknown): boolean {
  let depth = 0;
  for (let level: readonly unknown[] = [value]; level.length > 0 && depth <= MAX_DEPTH; depth++)
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  return depth > MAX_DEPTH;
}

/** A text of whatever was sent: an object may not even become one. */
export function asText(value: unknown): string {
  return typeof value === "object" && value !== null ? `(${kindOf(value)})` : String(value);
}
