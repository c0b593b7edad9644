// Entries whose long texts stay in the log's file: a session of any length is held by what is short in it, and a text is read
// again where somebody asks for it.

/** Where the line of an entry stands in its file, in bytes. */
export interface LinePlace {
  readonly at: number;
  readonly bytes: number;
}

/** The end of a log is held whole: it is what a session goes on with. */
export const HELD_BYTES: number = 8 * 1024 * 1024;

/** A getter takes as much memory. */
export const MIN_CHARS: number = 512;

/** Takes the long texts out of `value`, in place; `again` makes all of it once more, for whoever asks for one of them. */
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
