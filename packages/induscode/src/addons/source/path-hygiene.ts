// The one normaliser of addon and policy paths: pasted paths contain invisible characters. The
// tools' own paths go through core instead, because an unusual blank may be intended there.

import { join, resolve } from "node:path";
import { homeFolder, trimEndOf, trimStartOf } from "indusagi/core";

/** Invisible characters and blanks that no keyboard types, one by one, so that the list can be audited. */
export const INVISIBLE_CODE_POINTS: readonly number[] = [
  0x00a0, // no-break space
  0x2000, // en quad
  0x2001, // em quad
  0x2002, // en space
  0x2003, // em space
  0x2004, // three-per-em space
  0x2005, // four-per-em space
  0x2006, // six-per-em space
  0x2007, // figure space
  0x2008, // punctuation space
  0x2009, // thin space
  0x200a, // hair space
  0x200b, // zero-width space
  0x200c, // zero-width non-joiner
  0x200d, // zero-width joiner
  0x200e, // left-to-right mark
  0x200f, // right-to-left mark
  0x202f, // narrow no-break space
  0x205f, // medium mathematical space
  0x2060, // word joiner
  0x3000, // ideographic space
  0xfeff, // byte order mark
];

const INVISIBLE: ReadonlySet<string> = new Set(
  INVISIBLE_CODE_POINTS.map((code) => String.fromCodePoint(code)),
);
const isBlank = (character: string): boolean => " \t\n\v\f\r".includes(character);

/** `raw` without {@link INVISIBLE_CODE_POINTS} and without ASCII blanks at its ends. Idempotent. */
export function scrubInvisible(raw: string): string {
  const visible = [...raw].filter((character) => !INVISIBLE.has(character)).join("");
  return trimEndOf(trimStartOf(visible, isBlank), isBlank);
}

/** The scrubbed path with a leading `~` expanded to the home folder; unchanged if there is no home folder. */
export function expandPath(raw: string, home: string = homeFolder()): string {
  const path = scrubInvisible(raw);
  if (home === "") return path;
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

export interface PathAnchors {
  /** What a relative path is resolved against; the process's working directory by default. */
  readonly base?: string;
  readonly home?: string | undefined;
}

/** The scrubbed, expanded and absolute form of a path. Purely lexical: the file system is not consulted. */
export function resolvePath(raw: string, { base = "", home }: PathAnchors = {}): string {
  return resolve(base, expandPath(raw, home));
}
