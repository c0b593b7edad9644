import { printableLine } from "../console/printable-line.ts";

// A path may be as long as 4 KiB and says nothing more for it.
const MAX_COLUMNS = 1_000;

/** A line of the product's own on standard error. Whatever it quotes stays on it: no name can begin a line of ours. */
export function noticeLine(text: string): string {
  return `indus: ${printableLine(text, MAX_COLUMNS)}\n`;
}
