// Keys for the tests of the rich console: single ones, and terminal input that no program expects.

import { expect } from "vitest";
import type { Key } from "../../packages/induscode/src/tui/contract.ts";

export const key = (name: string, more: Partial<Key> = {}): Key => ({
  name,
  ctrl: false,
  alt: false,
  shift: false,
  ...more,
});

export const typed = (text: string): Key => key("text", { text });

/** Keys that terminals send as sequences: arrows, words, focus. */
export const SEQUENCES = [
  ..."ABCDHIOZ".split("").map((letter) => `\x1b[${letter}`),
  ...["\x1b[3~", "\x1bb", "\x1bd", "\x1by", "\x1bz"],
];

/** A paste, keys of other protocols, a mouse, an unrequested answer. */
export const ODD_INPUT = [
  "\x1b[200~pasted\rtwo\x1b[201~",
  "\x1b[13;2u",
  "\x1b[<0;1;1M",
  "\x1b]11;rgb:00/00/00\x07",
  "\x1b[999~",
  "\x1b[1;3A",
];

/** The modes printed before and after are the same, and everything that was switched on is off again. */
export function expectTerminalAsBefore(raw: string): void {
  const [before, after] = [...raw.matchAll(/modes: ([0-9a-f:]+)/g)].map(([, modes]) => modes);
  expect(before).toBeDefined();
  expect(after).toBe(before);
  for (const [on, off] of [
    ["\x1b[?2004h", "\x1b[?2004l"],
    ["\x1b[?1049h", "\x1b[?1049l"],
    ["\x1b[?25l", "\x1b[?25h"],
  ])
    expect(raw.lastIndexOf(on ?? "")).toBeLessThanOrEqual(raw.lastIndexOf(off ?? ""));
}
