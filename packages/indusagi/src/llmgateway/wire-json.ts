// Writing JSON for a provider: every part of a request is serialised once, and the body is the concatenation of those parts.

/**
 * A body in consecutive pieces: text, and bytes of UTF-8. Joining them
 * would put a long conversation in memory once more for each request.
 */
export type Pieces = readonly (string | Buffer)[];

const ESCAPES = /\\(?:ud[89a-f][0-9a-f]{2}|[\s\S])/g;
const LONE_SURROGATE_LENGTH = "\\udddd".length;

/**
 * `value` as JSON that every provider accepts. JSON.stringify writes half of a surrogate pair (a tool output cut inside an emoji)
 * as `\udXXX`, which strict parsers refuse: the whole conversation would be refused from then on.
 */
export function wireJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes("\\ud")) return json;
  return json.replace(ESCAPES, (found) => (found.length === LONE_SURROGATE_LENGTH ? "\\ufffd" : found));
}

/** `serialise`, run at most once for each object. Objects are held weakly and must be immutable. */
export function onceEach<Key extends object, Made = string>(
  serialise: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const made = serialise(key);
    known.set(key, made);
    return made;
  };
}

/**
 * Like {@link onceEach}, but as the bytes that are sent: one character beyond Latin-1
 * doubles a string's memory, and each request would encode all messages again.
 */
export function bytesOnce<Key extends object>(serialise: (key: Key) => string): (key: Key) => Buffer {
  return onceEach((key: Key) => Buffer.from(serialise(key), "utf8"));
}

/** `wireJson` of a string, remembering the last one: the system prompt rarely changes between two turns. */
export function lastText(): (text: string) => string {
  let text: string | undefined;
  let json = "";
  return (next) => {
    if (next !== text) {
      json = wireJson(next);
      text = next;
    }
    return json;
  };
}
