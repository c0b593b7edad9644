// Reading JSON that a server wrote: nothing in it is trusted, and a field of the wrong type reads as absent.

/** A JSON object with fields of any type. */
export type Loose = { readonly [key: string]: unknown };

/** `value` as an object to read fields from, or undefined if it is not one (null and arrays are not). */
export function asObject(value: unknown): Loose | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;
}

/** Shared: a stream needs this several times for each piece. */
const EMPTY: readonly unknown[] = [];

/** `value` if it is an array, otherwise an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : EMPTY;
}

/** `value` if it is a string, otherwise undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** `value` if it is a count, otherwise 0. */
export function asCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** Servers nest less than this; deeper nesting would overflow the stack of code that writes or walks it. */
export const MAX_EVENT_DEPTH = 256;

/** `text` parsed as a JSON object, or undefined if it is not JSON, not an object, or nested too deep. */
export function parseObject(text: string): Loose | undefined {
  // A short text cannot nest deep, and most events are short.
  if (text.length > MAX_EVENT_DEPTH && depthOf(text) > MAX_EVENT_DEPTH) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The deepest nesting of brackets outside strings; right for valid JSON, an estimate for anything else. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 34 /* " */) at = endOfString(text, at);
    else if (char === 123 /* { */ || char === 91 /* [ */) deepest = Math.max(deepest, ++depth);
    else if (char === 125 /* } */ || char === 93 /* ] */) depth--;
  }
  return deepest;
}

/** The place of the quote that ends the string that begins at `start`: an answer's last events hold all of it again. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 92 /* \ */) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
