// Foreign values made JSON, or refused: all of what handlers return ends in the log, where there is nothing else.

/** As deep as a message of an addon's process may be nested. */
const MAX_DEPTH = 200;

/** The JSON value that `value` is written as. Throws for what JSON has no text for, and for what is nested too deep. */
export function requireJson(value: unknown, what: string): unknown {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${what} must be JSON, not ${kindOf(value)}`);
  if (isDeeper(value, MAX_DEPTH))
    throw new TypeError(`${what} may be nested ${MAX_DEPTH} deep, and is deeper`);
  return typeof value === "object" ? JSON.parse(text) : value;
}

export function requireTable(value: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new TypeError(`${expected}, not ${kindOf(value)}`);
}

/** What a value is, in words for whoever returned it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  return Object.values(value).some((item) => isDeeper(item, most - 1));
}
