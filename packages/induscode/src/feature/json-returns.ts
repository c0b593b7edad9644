// Foreign values made JSON, or refused: all of what handlers return ends in the log, where there is nothing else.

/** As deep as a message of an addon's process may be nested. */
const MAX_DEPTH = 200;
/** Far more than a conversation has; a few lines that refer to each other can stand for more than memory holds. */
const MAX_VALUES = 1_000_000;

/** The JSON value that `value` is written as. Throws for what JSON has no text for, and for what is too deep or too much. */
export function requireJson(value: unknown, what: string): unknown {
  requireFinite(value, what);
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${what} must be JSON, not ${kindOf(value)}`);
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

/** A circle is endlessly deep; JSON.stringify notices that late, after it has written its content many times. */
function requireFinite(root: unknown, what: string): void {
  let values = 0;
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null) return;
    if (depth > MAX_DEPTH) throw new TypeError(`${what} may be nested ${MAX_DEPTH} deep, and is deeper`);
    for (const item of Object.values(value)) {
      if (++values > MAX_VALUES) throw new TypeError(`${what} may hold ${MAX_VALUES} values, and holds more`);
      visit(item, depth + 1);
    }
  };
  visit(root, 0);
}
