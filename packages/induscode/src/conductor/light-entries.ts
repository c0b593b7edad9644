// Entries whose long texts stay in the log's file: only the short parts of a
// session are held in memory, and a long text is read again when it is needed.

/** The location of an entry's line in its file, in bytes. */
export interface LinePlace {
  readonly at: number;
  readonly bytes: number;
}

/** The end of a log is held whole: a session continues from it. */
export const HELD_BYTES: number = 8 * 1024 * 1024;

/** Below this a getter takes as much memory as the text. */
export const MIN_CHARS: number = 512;

/** Replaces the long texts in `value` with getters, in place; `again` rebuilds the whole object when one of them is read. */
export function lighten(value: object, again: () => object, path: readonly string[] = []): void {
  for (const key of Object.keys(value)) {
    const part: unknown = value[key as keyof typeof value];
    if (typeof part === "object" && part !== null) lighten(part, again, [...path, key]);
    if (typeof part !== "string" || part.length < MIN_CHARS) continue;
    const there = [...path, key];
    const get = (): unknown => partAt(again(), there);
    Object.defineProperty(value, key, { enumerable: true, configurable: true, get });
  }
}

function partAt(whole: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (value as Readonly<Record<string, unknown>>)[key], whole);
}
