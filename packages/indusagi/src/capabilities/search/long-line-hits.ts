// A very long line, as minified files have, can match in many places. The engines show what is around the first of them; here the file
// is looked at once more, and what is around each is shown within the same length.

import type { Fs, GrepHit } from "../kernel/contract.ts";
import { MAX_FILE_BYTES, SHOWN_CHARS, shownStart, utf8Of } from "./line-match.ts";
import { escapePattern, type SearchPattern } from "./pattern.ts";

/** In more files than that the first match of a line is enough. */
const MAX_FILES = 10;
/** What is shown of a match is not shorter, so this limits how many are shown. */
const LEAST_CHARS = 80;
const MAX_COUNTED = 10_000;

/** A match in its line. */
interface Spot {
  readonly at: number;
  readonly end: number;
}

/** The hits, those in very long lines with what is around each match. Patterns that may take long keep the first. */
export async function showEachMatch(
  fs: Fs,
  hits: readonly GrepHit[],
  { source, literal, ignoreCase, isBounded }: SearchPattern,
): Promise<readonly GrepHit[]> {
  const files = new Set(hits.filter(({ text }) => text.length > SHOWN_CHARS).map(({ path }) => path));
  if (!isBounded || files.size === 0 || files.size > MAX_FILES) return hits;
  const matcher = new RegExp(
    literal === undefined ? source : escapePattern(literal),
    ignoreCase ? "giu" : "gu",
  );
  const lines = new Map<string, readonly string[]>();
  for (const path of files) {
    // What is gone by now keeps its first match.
    const bytes = await fs.readBytes(path, { start: 0, maxBytes: MAX_FILE_BYTES }).catch(() => undefined);
    if (bytes) lines.set(path, Buffer.from(utf8Of(bytes)).toString("utf8").split("\n"));
  }
  return hits.map((hit) => {
    const line = lines.get(hit.path)?.[hit.line - 1]?.replace(/\r$/, "");
    if (hit.text.length <= SHOWN_CHARS || line === undefined) return hit;
    const text = shownMatches(line, spotsOf(line, matcher));
    return text === undefined ? hit : { ...hit, text };
  });
}

function spotsOf(line: string, matcher: RegExp): readonly Spot[] {
  const spots: Spot[] = [];
  matcher.lastIndex = 0;
  for (
    let match = matcher.exec(line);
    match !== null && spots.length < MAX_COUNTED;
    match = matcher.exec(line)
  ) {
    spots.push({ at: match.index, end: match.index + match[0].length });
    if (match[0] === "") matcher.lastIndex++;
  }
  return spots;
}

/** Undefined if what is around the first match has all of them. */
function shownMatches(line: string, spots: readonly Spot[]): string | undefined {
  const [first, last] = [spots[0], spots.at(-1)];
  if (
    first === undefined ||
    last === undefined ||
    last.end <= shownStart(line.length, first.at) + SHOWN_CHARS
  )
    return undefined;
  const shown = spots.slice(0, Math.floor(SHOWN_CHARS / LEAST_CHARS));
  const each = Math.floor(SHOWN_CHARS / shown.length);
  const parts: { from: number; to: number }[] = [];
  for (const { at, end } of shown) {
    const from = Math.max(0, at - Math.max(0, Math.floor((each - (end - at)) / 2)));
    const to = Math.min(line.length, from + each);
    const before = parts.at(-1);
    if (before && from <= before.to) before.to = to;
    else parts.push({ from, to });
  }
  const texts = parts.map(({ from, to }) => withoutHalves(line.slice(from, to)).replaceAll("\0", "\\0"));
  const [starts, ends] = [(parts[0]?.from ?? 0) > 0, (parts.at(-1)?.to ?? 0) < line.length];
  const count = spots.length < MAX_COUNTED ? `${spots.length}` : `${MAX_COUNTED} or more`;
  const few = shown.length < spots.length ? `, the first ${shown.length}` : "";
  const from = parts.map((part) => part.from + 1).join(", ");
  return (
    `${starts ? "… " : ""}${texts.join(" … ")}${ends ? " …" : ""} ` +
    `[line of ${line.length} characters with ${count} matches${few}, shown from ${from}]`
  );
}

/** A character of two units is not cut in the middle. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}
