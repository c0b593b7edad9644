// A text at one moment, with the origin of each of its lines.

import { changedRanges, splitLines } from "indusagi/capabilities";
import type { MaybeOrigin } from "./origin.ts";

export interface Version {
  /** With their line ends. */
  readonly lines: readonly string[];
  readonly by: readonly MaybeOrigin[];
}

export function versionOf(text: string, by: MaybeOrigin): Version {
  const lines = splitLines(text);
  return { lines, by: lines.map(() => by) };
}

export function textOf({ lines }: Version): string {
  return lines.join("");
}

/** The text became `text`; its new lines come from `by`. `inserted` are their indices. */
export function rewritten(
  old: Version | undefined,
  text: string,
  by: MaybeOrigin,
): { readonly version: Version; readonly inserted: ReadonlySet<number> } {
  const version = versionOf(text, by);
  if (!old) return { version, inserted: new Set(version.lines.keys()) };
  const origins = [...version.by];
  const inserted = new Set<number>();
  let before = 0;
  let after = 0;
  for (const [oldStart, oldEnd, start, end] of changedRanges(old.lines, version.lines)) {
    while (before < oldStart) origins[after++] = old.by[before++];
    for (let at = start; at < end; at++) inserted.add(at);
    [before, after] = [oldEnd, end];
  }
  while (after < origins.length) origins[after++] = old.by[before++];
  return { version: { lines: version.lines, by: origins }, inserted };
}

/** The share of the longer text's lines that the other one has too, in the same order; 0 without a line that says anything. */
export function likeness(a: Version, b: Version): number {
  let shared = 0;
  let isTelling = false;
  let at = 0;
  const keepUntil = (end: number): void => {
    for (; at < end; at++) {
      shared++;
      isTelling ||= /[^\W_]{2}/.test(a.lines[at] ?? "");
    }
  };
  for (const [start, end] of changedRanges(a.lines, b.lines)) {
    keepUntil(start);
    at = end;
  }
  keepUntil(a.lines.length);
  return isTelling ? shared / Math.max(a.lines.length, b.lines.length) : 0;
}
