// One terminal escape sequence as a key: the old forms (VT, xterm, rxvt, Linux console), CSI u (kitty's protocol and
// libtickit's), and xterm's modifyOtherKeys.

import type { Key } from "../contract.ts";

/** The meaning of a complete sequence; `ignored` for what we do not handle: releases, mouse, keys with Super. */
type Meaning =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "focus"; readonly isFocused: boolean }
  | { readonly kind: "reply" }
  | { readonly kind: "pasteBegins" }
  | { readonly kind: "ignored" };

const IGNORED: Meaning = { kind: "ignored" };

/** The bits of a modifier parameter, which is sent plus one. Caps Lock and Num Lock do not change a key. */
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const OTHERS = 8 | 16 | 32; // Super, Hyper, Meta

/** A key with its modifiers; `text` is what it inserts if no modifier but Shift is held. */
export function keyOf(name: string, bits = 0, text?: string): Key {
  const key = {
    name,
    ctrl: (bits & CTRL) !== 0,
    alt: (bits & ALT) !== 0,
    shift: (bits & SHIFT) !== 0,
  };
  return text === undefined ? key : { ...key, text };
}

function pressed(name: string | undefined, bits: number, text?: string): Meaning {
  if (name === undefined || (bits & OTHERS) !== 0) return IGNORED;
  return { kind: "key", key: keyOf(name, bits, text) };
}

/** By the final letter of CSI and SS3 sequences. */
const LETTERS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "clear",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "tab",
};

/** By the number of `CSI number ~`. */
const NUMBERS: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

/** The keypad keys of CSI u, from 57399 on; a key that types something is listed as its text. */
const KEYPAD: readonly string[] = [
  ..."0123456789./*-+",
  "enter",
  "=",
  ",",
  "left",
  "right",
  "up",
  "down",
  "pageup",
  "pagedown",
  "home",
  "end",
  "insert",
  "delete",
  "clear",
];
const FIRST_KEYPAD = 57399;

/** What an application keypad sends after SS3. */
const SS3_KEYPAD: Readonly<Record<string, string>> = {
  M: "enter",
  j: "*",
  k: "+",
  l: ",",
  m: "-",
  n: ".",
  o: "/",
};

/** The one letter after SS3 (`ESC O`). */
export function readSs3(letter: string): Meaning {
  const keypad =
    SS3_KEYPAD[letter] ?? (/^[p-y]$/.test(letter) ? String(letter.charCodeAt(0) - 112) : undefined);
  if (keypad === "enter") return pressed("enter", 0);
  if (keypad !== undefined) return pressed("text", 0, keypad);
  // rxvt: Ctrl with an arrow.
  if (/^[a-d]$/.test(letter)) return pressed(LETTERS[letter.toUpperCase()], CTRL);
  return pressed(LETTERS[letter], 0);
}

/** A complete CSI sequence: the part between `ESC [` and the final character, and that character. */
export function readCsi(body: string, final: string): Meaning {
  if (body.startsWith("<")) return IGNORED; // the mouse
  if (/^[?>=]/.test(body)) return { kind: "reply" };
  if (final === "I" && body === "") return { kind: "focus", isFocused: true };
  if (final === "O" && body === "") return { kind: "focus", isFocused: false };
  const fields = body.split(";").map((field) => field.split(":").map(numberOf));
  const first = fields[0]?.[0] ?? 0;
  const bits = Math.max(0, (fields[1]?.[0] ?? 1) - 1) & 0xff;
  const isRelease = fields[1]?.[1] === 3;
  if (isRelease) return IGNORED;
  if (final === "~" && first === 200) return { kind: "pasteBegins" };
  if (final === "~" && first === 27) return ofCode(fields[2]?.[0] ?? 0, bits);
  if (final === "~") return pressed(NUMBERS[first], bits);
  if (final === "u") return ofCode(first, bits, { shifted: fields[0]?.[1], text: fields[2] });
  if (final === "^") return pressed(NUMBERS[first], CTRL); // rxvt
  if (final === "$") return pressed(NUMBERS[first], SHIFT);
  if (final === "@") return pressed(NUMBERS[first], CTRL | SHIFT);
  if (/^[a-d]$/.test(final) && body === "") return pressed(LETTERS[final.toUpperCase()], SHIFT);
  // A cursor position report, which looks like F3 with modifiers: two numbers, the first not 1.
  if (final === "R" && fields.length === 2 && first !== 1) return { kind: "reply" };
  if (final === "n" || final === "t" || final === "c") return { kind: "reply" };
  return pressed(LETTERS[final], final === "Z" ? bits | SHIFT : bits);
}

function numberOf(digits: string): number | undefined {
  return /^\d{1,7}$/.test(digits) ? Number(digits) : undefined;
}

interface CodeTexts {
  /** The character typed with Shift. */
  readonly shifted?: number | undefined;
  readonly text?: readonly (number | undefined)[] | undefined;
}

const CODES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  10: "j",
  13: "enter",
  27: "escape",
  127: "backspace",
};

/** A key by its character's code point, or by its number in the private use area. */
function ofCode(code: number, bits: number, { shifted, text }: CodeTexts = {}): Meaning {
  const named = CODES[code];
  if (named !== undefined) return pressed(named, code === 10 ? bits | CTRL : bits);
  const keypad = KEYPAD[code - FIRST_KEYPAD];
  if (keypad !== undefined && keypad.length > 1) return pressed(keypad, bits);
  if (keypad === undefined && code >= 57344 && code <= 63743) return IGNORED; // lock keys, media keys, modifiers alone
  const character = keypad ?? characterOf(code);
  if (character === undefined) return IGNORED;
  if ((bits & (CTRL | ALT | OTHERS)) === 0) {
    const written =
      text?.map((each) => (each === undefined ? undefined : characterOf(each))).join("") ||
      ((bits & SHIFT) !== 0 ? (characterOf(shifted ?? 0) ?? character.toUpperCase()) : character);
    return pressed("text", 0, written);
  }
  if (character === " ") return pressed("space", bits);
  const isUpper = character !== character.toLowerCase();
  return pressed(character.toLowerCase(), isUpper ? bits | SHIFT : bits);
}

/** Undefined for a key that types nothing. */
function characterOf(code: number): string | undefined {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    return undefined;
  return String.fromCodePoint(code);
}

/** A control or printable character, alone or after Esc. Undefined for one that no key sends. */
export function readCharacter(character: string, isAlt: boolean): Key | undefined {
  const alt = isAlt ? ALT : 0;
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0d) return keyOf("enter", alt);
  if (code === 0x09) return keyOf("tab", alt);
  if (code === 0x7f) return keyOf("backspace", alt);
  if (code === 0x1b) return keyOf("escape", alt);
  if (code === 0) return keyOf("space", alt | CTRL);
  if (code < 0x1b) return keyOf(String.fromCharCode(code + 96), alt | CTRL);
  if (code < 0x20) return keyOf(String.fromCharCode(code + 64), alt | CTRL);
  if (code >= 0x80 && code <= 0x9f) return undefined;
  if (!isAlt) return keyOf("text", 0, character);
  if (character === " ") return keyOf("space", alt);
  const lower = character.toLowerCase();
  return keyOf(lower, lower === character ? alt : alt | SHIFT);
}
