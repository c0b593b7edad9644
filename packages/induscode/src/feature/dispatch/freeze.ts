// Handlers in this process are handed the session's own objects: they may read them, but only what they return counts.

const seen = new WeakSet<object>();

/** Freezes `value` and everything in it for good. Objects already frozen here cost one look-up. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}
