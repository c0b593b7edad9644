// vi's motions and their targets. Offsets are cluster boundaries; a motion without a target is undefined.

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

/** Where a motion begins, how often it is made, and what `;` and `,` look for. */
export interface From {
  readonly text: string;
  readonly cursor: number;
  readonly times: number;
  readonly find: Find | undefined;
}

type Move = (from: From) => Motion | undefined;

const MOTIONS: ReadonlyMap<string, Move> = new Map(
  Object.entries<Move>({
    h: ({ text, cursor, times }) => ({ to: back(text, cursor, times) }),
    l: ({ text, cursor, times }) => ({ to: forward(text, cursor, times) }),
    " ": ({ text, cursor, times }) => ({ to: forward(text, cursor, times) }),
    "0": ({ text, cursor }) => ({ to: lineStart(text, cursor) }),
    "^": ({ text, cursor }) => ({ to: firstInLine(text, cursor) }),
    $: ({ text, cursor }) => ({ to: lineEnd(text, cursor) }),
    w: (from) => ({ to: again(from, (at) => wordForward(from.text, at, false)) }),
    W: (from) => ({ to: again(from, (at) => wordForward(from.text, at, true)) }),
    b: (from) => ({ to: again(from, (at) => wordBack(from.text, at, false)) }),
    B: (from) => ({ to: again(from, (at) => wordBack(from.text, at, true)) }),
    e: (from) => ({ to: again(from, (at) => wordEnd(from.text, at, false)), isInclusive: true }),
    E: (from) => ({ to: again(from, (at) => wordEnd(from.text, at, true)), isInclusive: true }),
    gg: ({ text }) => ({ to: firstInLine(text, 0) }),
    G: ({ text }) => ({ to: firstInLine(text, text.length) }),
    ";": (from) => from.find && found(from, { ...from.find, isAgain: true }),
    ",": (from) => from.find && found(from, { ...from.find, kind: turnCase(from.find.kind), isAgain: true }),
  }),
);

/** The target of a motion; undefined too if the command is none. */
export function move(command: string, from: From): Motion | undefined {
  const known = MOTIONS.get(command);
  if (known) return known(from);
  const find = findIn(command);
  return find && found(from, find);
}

/** What `fx` and the like look for. */
export function findIn(command: string): Find | undefined {
  const [kind = "", ...rest] = command;
  return /^[fFtT]$/.test(kind) && rest.length > 0 ? { kind, character: rest.join("") } : undefined;
}

function again({ cursor, times }: From, step: (at: number) => number): number {
  let at = cursor;
  for (let n = 0; n < times; n++) {
    const next = step(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

function found({ text, cursor, times }: From, find: Find): Motion | undefined {
  let motion: Motion | undefined;
  let at = cursor;
  for (let n = 0; n < times; n++) {
    motion = findCharacter(text, at, find);
    if (!motion) return undefined;
    at = motion.to;
  }
  return motion;
}

/** `l`: to the right, within the line. */
export function forward(text: string, from: number, times: number): number {
  const end = lineEnd(text, from);
  let at = from;
  for (let n = 0; n < times && at < end; n++) at = nextBorder(text, at);
  return at;
}

/** `h`: to the left, within the line. */
export function back(text: string, from: number, times: number): number {
  const start = lineStart(text, from);
  let at = from;
  for (let n = 0; n < times && at > start; n++) at = borderBefore(text, at);
  return at;
}

/** `cw` and `cW`, on a word: up to its end, without the following blanks. */
export function wordEndHere({ text, cursor, times }: From, isBig: boolean): number {
  // On the last character of a word, only that one is changed.
  let at = cursor;
  for (let n = 0; n < times; n++) {
    const before = n === 0 && at > 0 ? borderBefore(text, at) : at;
    const isJoined = n === 0 && wordEnd(text, before, isBig) === at && before !== at;
    at = isJoined ? at : wordEnd(text, at, isBig);
  }
  return at;
}

/** `7G`: the start of this line, or of the last one. */
export function lineNumbered(text: string, number: number): number {
  let at = 0;
  for (let n = 1; n < number; n++) {
    const end = lineEnd(text, at);
    if (end === text.length) break;
    at = end + 1;
  }
  return at;
}

/** In upper case if it is in lower case, and the other way around. */
export function turnCase(character: string): string {
  const lower = character.toLowerCase();
  return lower === character ? character.toUpperCase() : lower;
}

type Class = "blank" | "word" | "sign";

function classAt(text: string, at: number, isBig: boolean): Class {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  if (/\s/.test(character)) return "blank";
  return isBig || /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign";
}

/** `w`, `W`: the start of the next word. */
function wordForward(text: string, from: number, isBig: boolean): number {
  let at = from;
  const begun = classAt(text, at, isBig);
  while (at < text.length && begun !== "blank" && classAt(text, at, isBig) === begun)
    at = nextBorder(text, at);
  while (at < text.length && classAt(text, at, isBig) === "blank") at = nextBorder(text, at);
  return at;
}

/** `b`, `B`: the start of the previous word. */
function wordBack(text: string, from: number, isBig: boolean): number {
  let at = borderBefore(text, from);
  while (at > 0 && classAt(text, at, isBig) === "blank") at = borderBefore(text, at);
  const begun = classAt(text, at, isBig);
  while (at > 0 && classAt(text, borderBefore(text, at), isBig) === begun) at = borderBefore(text, at);
  return at;
}

/** `e`, `E`: the last character of this word or the next. */
function wordEnd(text: string, from: number, isBig: boolean): number {
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
function findCharacter(text: string, from: number, { kind, character, isAgain }: Find): Motion | undefined {
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
