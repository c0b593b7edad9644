// Wildcards in linear time: never compiled to a regular expression, because then a hostile pattern would decide how long a
// match takes (CVE-2026-26996 and CVE-2026-33671 are this mistake).

import { findPiece } from "./find-piece.ts";

/** Matches `pattern` (`*` = any run, `?` = any one character) against the whole of `text`, in time linear in both. */
export function matchWildcard(pattern: string, text: string): boolean {
  return matchCharacters(charactersOf(pattern), charactersOf(text));
}

/**
 * {@link matchWildcard} on characters. The pieces between stars are found one by one: the first at the start of the text, the
 * last at its end, and each other at its first position after the previous one, which leaves the most room for the rest.
 */
export function matchCharacters(pattern: ArrayLike<string>, text: ArrayLike<string>): boolean {
  const pieces = piecesOf(pattern);
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text.length === first.length && fitsAt(first, text, 0);
  const end = text.length - last.length;
  if (end < first.length || !fitsAt(first, text, 0) || !fitsAt(last, text, end)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = findPiece(piece, text, from, end);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

function piecesOf(pattern: ArrayLike<string>): readonly ArrayLike<string>[] {
  if (typeof pattern === "string") return pattern.split("*");
  const pieces: string[][] = [[]];
  for (const character of Array.from(pattern))
    if (character === "*") pieces.push([]);
    else pieces.at(-1)?.push(character);
  return pieces;
}

function fitsAt(piece: ArrayLike<string>, text: ArrayLike<string>, at: number): boolean {
  for (let index = 0; index < piece.length; index++)
    if (piece[index] !== "?" && piece[index] !== text[at + index]) return false;
  return true;
}

/**
 * Matches a `/`-separated glob against the whole of a `/`-separated path: `**` stands for any number of segments,
 * `*` and `?` stay inside one.
 */
export function matchPathGlob(glob: string, path: string): boolean {
  return matchSequence(glob.split("/"), path.split("/"), "**", matchWildcard);
}

/**
 * Greedy two-pointer match of the whole `input`; `star` matches any number of items. Only the latest star is ever retried, so
 * the work is at most pattern × input; use it for names and path segments, which are short.
 */
export function matchSequence<Wanted, Found>(
  pattern: ArrayLike<Wanted>,
  input: ArrayLike<Found>,
  star: Wanted,
  matchesOne: (wanted: Wanted, found: Found) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (i < input.length) {
    const wanted = pattern[p] as Wanted;
    if (p < pattern.length && wanted === star) {
      starAt = p++;
      resumeAt = i;
    } else if (p < pattern.length && matchesOne(wanted, input[i] as Found)) {
      p++;
      i++;
    } else if (starAt >= 0) {
      p = starAt + 1;
      i = ++resumeAt;
    } else return false;
  }
  while (p < pattern.length && pattern[p] === star) p++;
  return p === pattern.length;
}

/** The characters of a text; the text itself if each is one UTF-16 unit, because a directory walk calls this often. */
export function charactersOf(text: string): ArrayLike<string> {
  return /[\ud800-\udfff]/.test(text) ? [...text] : text;
}
