import { columnsOf, headOf, tailOf } from "./columns.ts";

// Everything that a person would not see: controls, bidi controls, zero-width and filler characters. The joiners
// used by emoji and scripts are not included.
const unseen = () =>
  /[[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]--[\u200c\u200d\ufe0e\ufe0f]]/gv;
const NAMED: Readonly<Record<string, string>> = { "\n": "⏎", "\t": "⇥" };

// A payload after 500 blanks is out of sight. Short runs are layout; a joiner between two blanks hides nothing.
const longRun = () => /(?:\p{Zs}[\p{Join_Control}\p{Variation_Selector}]*){9,}|\n{9,}|\t{9,}/gu;

/**
 * `text` on one line with nothing hidden: invisible characters are spelled out (`⏎`, `⇥`, `\u{1b}`, `\u{202e}`), more
 * than 8 blanks in a row are counted (`␣×500`), and a text that is too long is cut in the middle, so that its end shows.
 */
export function printableLine(text: string, maxColumns: number = Number.POSITIVE_INFINITY): string {
  const shown = text
    .replaceAll("\r\n", "\n")
    .replace(longRun(), (run) => `${NAMED[run[0] ?? ""] ?? "␣"}×${run.length}`)
    .replace(unseen(), (found) => NAMED[found] ?? `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
  if (columnsOf(shown) <= maxColumns) return shown;
  const kept = maxColumns - 1;
  return `${headOf(shown, Math.ceil(kept / 2))}…${tailOf(shown, Math.floor(kept / 2))}`;
}
