// The targets of vi's motions. Offsets are cluster boundaries; a motion without a target is undefined.

import { borderBefore, lineEnd, lineStart, nextBorder } from "./state.ts";

export interface Motion {
  readonly to: number;
  /** An operator includes the character at the end. */
  readonly isInclusive?: true;
}

/** The last `f`, `F`, `t` or `T` with its character, for `;` and `,`. */
export interface Find {
  readonly kind: string;
  readonly character: string;
  /** Repeated by `;` or `,`: `t` and `T` do not stop again before the character they are already at. */
  readonly isAgain?: true;
}

type Class = "blank" | "word" | "sign";

function classAt(text: string, at: number, isBig: boolean): Class {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  if (/\s/.test(character)) return "blank";
  return isBig || /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign";
}

/** `w`, `W`: the start of the next word. */
export function wordForward(text: string, from: number, isBig: boolean): number {
  let at = from;
  const begun = classAt(text, at, isBig);
  while (at < text.length && begun !== "blank" && classAt(text, at, isBig) === begun)
    at = nextBorder(text, at);
  while (at < text.length && classAt(text, at, isBig) === "blank") at = nextBorder(text, at);
  return at;
}

/** `b`, `B`: the start of the previous word. */
export function wordBack(text: string, from: number, isBig: boolean): number {
  let at = borderBefore(text, from);
  while (at > 0 && classAt(text, at, isBig) === "blank") at = borderBefore(text, at);
  const begun = classAt(text, at, isBig);
  while (at > 0 && classAt(text, borderBefore(text, at), isBig) === begun) at = borderBefore(text, at);
  return at;
}

/** `e`, `E`: the last character of this word or the next. */
export function wordEnd(text: string, from: number, isBig: boolean): number {
  let at = nextBorder(text, from);
  while (at < text.length && classAt(text, at, isBig) === "blank") at = nextBorder(text, at);
  if (at >= text.length) return borderBefore(text, text.length);
  const begun = classAt(text, at, isBig);
  for (;;) {
    const next = nextBorder(text, at);
    if (next >= text.length || classAt(text, next, isBig) !== begun) return at;
    at = next;
  }
}

/** `iw`, `aw`: the run of one class around the cursor, and with `a` the blanks after it. */
export function wordAround(text: string, from: number, isWide: boolean): readonly [number, number] {
  const first = lineStart(text, from);
  const last = lineEnd(text, from);
  const begun = classAt(text, from, false);
  let start = from;
  let end = from;
  while (start > first && classAt(text, borderBefore(text, start), false) === begun)
    start = borderBefore(text, start);
  while (end < last && classAt(text, end, false) === begun) end = nextBorder(text, end);
  while (isWide && end < last && classAt(text, end, false) === "blank") end = nextBorder(text, end);
  return [start, end];
}

/** `f`, `F`, `t`, `T`, within the line. */
export function findCharacter(
  text: string,
  from: number,
  { kind, character, isAgain }: Find,
): Motion | undefined {
  if (kind === "f" || kind === "t") {
    const begin = kind === "t" && isAgain ? nextBorder(text, nextBorder(text, from)) : nextBorder(text, from);
    const found = text.indexOf(character, Math.min(begin, lineEnd(text, from)));
    if (found < 0 || found >= lineEnd(text, from)) return undefined;
    return { to: kind === "t" ? borderBefore(text, found) : found, isInclusive: true };
  }
  const begin =
    kind === "T" && isAgain ? borderBefore(text, borderBefore(text, from)) : borderBefore(text, from);
  const found = from === 0 ? -1 : text.lastIndexOf(character, begin);
  if (found < lineStart(text, from) || found >= from) return undefined;
  return { to: kind === "T" ? nextBorder(text, found) : found };
}

/** `^`: the first non-blank character of the line. */
export function firstInLine(text: string, from: number): number {
  const start = lineStart(text, from);
  const end = lineEnd(text, from);
  let at = start;
  while (at < end && classAt(text, at, false) === "blank") at = nextBorder(text, at);
  return at;
}
