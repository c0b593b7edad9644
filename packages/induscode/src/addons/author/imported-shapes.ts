// What the parts of an import have in common.

export type Table = Readonly<Record<string, unknown>>;

/** Takes a line about something that is not as it was. */
export type Note = (text: string) => void;

/** What a variable, and a header, may be called. */
export const VARIABLE: RegExp = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
export const HEADER: RegExp = /^[A-Za-z0-9-]{1,100}$/;

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
