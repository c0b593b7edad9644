// What handlers in this process are handed is the session's own: they may look at it, and only what they return counts.

const seen = new WeakSet<object>();

/** `value` with everything in it, frozen for good. What was frozen here before costs one look. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}
