// Finds every place of one text in another, literally or ignoring whitespace, including overlapping ones. One pass without a
// copy (Knuth-Morris-Pratt), so that neither a large nor a repetitive text takes long.

/** A half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Calls `hear` with the start of every place of `part` in `text`, in order. */
export function eachLiteral(text: string, part: string, hear: (start: number) => void): void {
  let units: Uint16Array | undefined;
  let fallback: Uint32Array | undefined;
  for (let start = text.indexOf(part); start >= 0; ) {
    hear(start);
    // Places that overlap this one begin inside it: continue unit by unit while there is a partial match, then jump again.
    units ??= unitsOf(part);
    fallback ??= fallbacks(units);
    let at = start + units.length;
    for (let matched = fallback[units.length - 1] ?? 0; matched > 0 && at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && units[matched] !== unit) matched = fallback[matched - 1] ?? 0;
      if (units[matched] === unit) matched++;
      if (matched < units.length) continue;
      hear(at + 1 - units.length);
      matched = fallback[units.length - 1] ?? 0;
    }
    start = text.indexOf(part, at);
  }
}

/** The needle for a search that ignores whitespace: each run of it becomes one unit ({@link runUnit}), none at the ends. */
export function needleOf(snippet: string): string {
  return snippet.trim().replaceAll(/\s+/g, (run) => String.fromCharCode(runUnit(run, 0)));
}

export interface Scan {
  /** Length of the longest prefix of the needle found in the text, in units, and where its first place ends. */
  readonly longest: number;
  readonly longestEnd: number;
}

/** Called with the end of a place, and whether it overlaps the last place that overlapped none. */
type PlaceListener = (end: number, isOverlapping: boolean) => void;

/**
 * Searches for `needle`, treating each run of whitespace in `text` as one unit, and calls `hear` for each place. A similarity
 * shorter than the needle's opening is missed: between openings the engine's own search skips ahead.
 */
export function scanApartFromWhitespace(text: string, needle: string, hear: PlaceListener): Scan {
  const units = unitsOf(needle);
  const fallback = fallbacks(units);
  const opening = (needle.split(/[ \n]/, 1)[0] ?? "").slice(0, leastLikeness(needle));
  let longest = 0;
  let longestEnd = 0;
  let matched = 0;
  let unitsSincePlace = units.length;
  for (let at = 0; at < text.length; ) {
    if (matched === 0) {
      const found = text.indexOf(opening, at);
      if (found < 0) break;
      at = found + opening.length;
      matched = opening.length;
      unitsSincePlace = units.length;
    } else {
      let unit = text.charCodeAt(at++);
      if (isBlank(unit)) {
        let lineEnds = endsLine(text, at - 1, unit) ? 1 : 0;
        for (let next = text.charCodeAt(at); isBlank(next); next = text.charCodeAt(++at))
          if (endsLine(text, at, next)) lineEnds++;
        unit = lineEnds < 2 ? BLANK : LINE_FEED;
      }
      unitsSincePlace++;
      while (matched > 0 && units[matched] !== unit) matched = fallback[matched - 1] ?? 0;
      if (units[matched] !== unit) continue;
      matched++;
    }
    if (matched > longest) {
      longest = matched;
      longestEnd = at;
    }
    if (matched < units.length) continue;
    const isOverlapping = unitsSincePlace < units.length;
    hear(at, isOverlapping);
    if (!isOverlapping) unitsSincePlace = 0;
    matched = fallback[units.length - 1] ?? 0;
  }
  return { longest, longestEnd };
}

/** Fewer matching units do not count as similar. */
export function leastLikeness(needle: string): number {
  return Math.min(6, Math.ceil(needle.length / 2));
}

/** The position `units` units before `at`, counting a run of whitespace as one. */
export function goBack(text: string, at: number, units: number): number {
  let place = at;
  for (let left = units; left > 0; left--) {
    if (isBlank(text.charCodeAt(--place))) while (isBlank(text.charCodeAt(place - 1))) place--;
  }
  return place;
}

const BLANK = 32;
const LINE_FEED = 10;
const RETURN = 13;

/** The unit for a run of whitespace: a line feed if it contains blank lines, otherwise a space. */
export function runUnit(text: string, start: number): number {
  let lineEnds = 0;
  for (let at = start; isBlank(text.charCodeAt(at)); at++)
    if (endsLine(text, at, text.charCodeAt(at))) lineEnds++;
  return lineEnds < 2 ? BLANK : LINE_FEED;
}

function endsLine(text: string, at: number, unit: number): boolean {
  return unit === LINE_FEED || (unit === RETURN && text.charCodeAt(at + 1) !== LINE_FEED);
}

/** Equivalent to `\s`, at a tenth of its cost. */
export function isBlank(unit: number): boolean {
  if (unit <= BLANK) return unit === BLANK || (unit >= 9 && unit <= 13);
  return unit >= 0xa0 && WIDE_BLANKS.includes(unit);
}

const WIDE_BLANKS: readonly number[] = [
  ...[0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
];

function unitsOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/** `fallbacks[k]`: how many of the needle's first units also end its first k + 1. */
function fallbacks(units: Uint16Array): Uint32Array {
  const fallback = new Uint32Array(units.length);
  let length = 0;
  for (let at = 1; at < units.length; at++) {
    while (length > 0 && units[length] !== units[at]) length = fallback[length - 1] ?? 0;
    if (units[length] === units[at]) length++;
    fallback[at] = length;
  }
  return fallback;
}
