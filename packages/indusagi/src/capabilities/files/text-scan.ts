// Every place of a text in another, literally or apart from whitespace, overlapping ones too. One pass without a copy
// (Knuth, Morris, Pratt), so that neither a large text nor one that repeats itself takes long.

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
    // What overlaps this place begins inside it: from here on as long as something is matched, then by leaps again.
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

/** What is looked for when whitespace does not count: every run of it as one unit ({@link runUnit}), none at the ends. */
export function needleOf(snippet: string): string {
  return snippet.trim().replaceAll(/\s+/g, (run) => String.fromCharCode(runUnit(run, 0)));
}

export interface Scan {
  /** Units of the longest beginning of the needle that is in the text, and where the first such place ends. */
  readonly longest: number;
  readonly longestEnd: number;
}

/** Hears where a place ends, and whether it overlaps the last one that overlapped none. */
type PlaceListener = (end: number, isOverlapping: boolean) => void;

/**
 * Looks for `needle` with every run of whitespace in `text` taken for one unit, and calls `hear` with each place. A
 * likeness shorter than the needle's opening is not seen: from one opening to the next the machine searches.
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

/** Fewer equal units do not count as alike. */
export function leastLikeness(needle: string): number {
  return Math.min(6, Math.ceil(needle.length / 2));
}

/** The place `units` units before `at`, a run of whitespace counting as one. */
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

/** What a run of whitespace counts as: a blank, or a line feed when lines lie between its ends that hold nothing else. */
export function runUnit(text: string, start: number): number {
  let lineEnds = 0;
  for (let at = start; isBlank(text.charCodeAt(at)); at++)
    if (endsLine(text, at, text.charCodeAt(at))) lineEnds++;
  return lineEnds < 2 ? BLANK : LINE_FEED;
}

function endsLine(text: string, at: number, unit: number): boolean {
  return unit === LINE_FEED || (unit === RETURN && text.charCodeAt(at + 1) !== LINE_FEED);
}

/** What `\s` is, at a tenth of its cost. */
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

/** `fallbacks[k]`: how many opening units of the needle also end its first k + 1. */
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
