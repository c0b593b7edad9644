// The whitespace around a place in a text.

import { isBlank } from "./text-scan.ts";

const LINE_FEED = 10;
const RETURN = 13;
const MARK = 0xfeff;

/** The blanks between the start of the line and `at`; undefined if there is anything else, except for a byte order mark. */
export function leadBefore(text: string, at: number): string | undefined {
  let start = at;
  while (isInnerBlank(text.charCodeAt(start - 1))) start--;
  const before = text.charCodeAt(start - 1);
  const isStart = start === 0 || endsLine(before) || (start === 1 && before === MARK);
  return isStart ? text.slice(start, at) : undefined;
}

/** Where the whitespace before `at` begins that `front`, a snippet's own, stands for. */
export function startBefore(text: string, at: number, front: string): number {
  if (front === "") return at;
  const breaks = breaksIn(front);
  let start = at;
  for (let seen = 0; breaks === 0 || seen < breaks; ) {
    const before = text.charCodeAt(start - 1);
    if (isInnerBlank(before)) start--;
    else if (breaks === 0 || !endsLine(before)) break;
    else {
      start -= before === LINE_FEED && text.charCodeAt(start - 2) === RETURN ? 2 : 1;
      seen++;
    }
  }
  return start;
}

/** Where the whitespace after `at` ends that `back`, a snippet's own, stands for. */
export function endAfter(text: string, at: number, back: string): number {
  if (back === "") return at;
  const breaks = breaksIn(back);
  let end = at;
  for (let seen = 0; breaks === 0 || seen < breaks; ) {
    const next = text.charCodeAt(end);
    if (isInnerBlank(next)) end++;
    else if (breaks === 0 || !endsLine(next)) break;
    else {
      end += next === RETURN && text.charCodeAt(end + 1) === LINE_FEED ? 2 : 1;
      seen++;
    }
  }
  const endsInBlanks = breaks > 0 && !back.endsWith("\n");
  while (endsInBlanks && isInnerBlank(text.charCodeAt(end))) end++;
  return end;
}

function breaksIn(whitespace: string): number {
  return whitespace.split("\n").length - 1;
}

function endsLine(unit: number): boolean {
  return unit === LINE_FEED || unit === RETURN;
}

function isInnerBlank(unit: number): boolean {
  return isBlank(unit) && !endsLine(unit) && unit !== MARK;
}
