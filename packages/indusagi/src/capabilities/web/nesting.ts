// How deeply a page nests, before anything parses it: parsers take quadratic time for what nests without end.

import { tokens } from "./plain-html-text.ts";

// They have no content.
const EMPTY: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

// The next one of its kind ends them, so that pages leave out their ends.
const ENDED_BY_THE_NEXT: ReadonlySet<string> = new Set(
  "body colgroup dd dt html li optgroup option p rb rp rt rtc tbody td tfoot th thead tr".split(" "),
);

/** Whether a page nests deeper than `most` elements, not counting those that need no end. One pass, which stops at the first such place. */
export function nestsDeeper(html: string, most: number): boolean {
  const open: string[] = [];
  const counts = new Map<string, number>(); // in `open`, by name
  const count = (name: string, by: number): void => void counts.set(name, (counts.get(name) ?? 0) + by);
  for (const token of tokens(html)) {
    if (token.kind === "text") continue;
    const { name, isClosing, tag } = token;
    if (EMPTY.has(name) || ENDED_BY_THE_NEXT.has(name) || tag.endsWith("/>")) continue;
    if (!isClosing) {
      open.push(name);
      count(name, 1);
      if (open.length > most) return true;
    } else if ((counts.get(name) ?? 0) > 0) {
      for (let ended = ""; ended !== name; ) {
        ended = open.pop() ?? name;
        count(ended, -1);
      }
    }
  }
  return false;
}
