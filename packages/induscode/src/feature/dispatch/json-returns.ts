// Turns foreign values into JSON or refuses them: everything handlers return ends up in the log, which holds only JSON.

/** As deep as an addon process's messages may be nested. */
const MAX_DEPTH = 200;
/** Far more than a conversation has; a few lines that share references can expand beyond memory. */
const MAX_VALUES = 1_000_000;

/** `value` after a JSON round trip. Throws for what JSON cannot represent, and for what is too deep or too large. */
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

/** A value's kind, in words for whoever returned it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A cycle is endlessly deep; JSON.stringify notices late, after writing its content many times. */
function requireFinite(root: unknown, what: string): void {
  let values = 0;
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null) return;
    if (depth > MAX_DEPTH) throw new TypeError(`${what} is nested deeper than ${MAX_DEPTH} levels`);
    for (const item of Object.values(value)) {
      if (++values > MAX_VALUES) throw new TypeError(`${what} has more than ${MAX_VALUES} values`);
      visit(item, depth + 1);
    }
  };
  visit(root, 0);
}
