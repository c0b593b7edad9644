import { printableLine } from "../console/printable-line.ts";

// A path can be as long as 4 KiB; showing more of it does not help the reader.
const MAX_COLUMNS = 1_000;

/** One of the product's own lines on standard error. Quoted text cannot break out of it: no name can start a new line. */
export function noticeLine(text: string): string {
  return `indus: ${printableLine(text, MAX_COLUMNS)}\n`;
}
