// A program can have this package twice: the one that it installed, and the copy that is bundled into `induscode`. What both must
// agree on goes by name, not by the object of one copy.

/** What the process has one of, made by the copy that asks first. Its shape must stay what other versions expect. */
export function processWide<Value>(name: string, make: () => Value): Value {
  const place = globalThis as Record<symbol, unknown>;
  const key = Symbol.for(`indusagi:${name}`);
  place[key] ??= make();
  return place[key] as Value; // safe: whoever uses the name means the same
}

/**
 * For `Symbol.hasInstance` of `kind`, whose errors have this name: each copy takes the other's for its own. `asked` is the class
 * that stands behind `instanceof`; one that extends `kind` is told by itself alone.
 */
export function isErrorOf(asked: unknown, kind: unknown, name: string, error: unknown): boolean {
  if (asked !== kind) return Function.prototype[Symbol.hasInstance].call(asked as () => void, error);
  return error instanceof Error && error.name === name;
}
