// The unified diff that a call logged, applied to a text with origins.

import { changedRanges } from "indusagi/capabilities";
import type { MaybeOrigin, Origin } from "./origin.ts";
import type { Version } from "./traced-text.ts";

interface Row {
  readonly sign: " " | "-" | "+";
  /** With its line end. */
  readonly line: string;
}

export interface Hunk {
  /** Where it begins in the text before the diff, from 0. */
  readonly start: number;
  readonly rows: readonly Row[];
}

/** A hunk that fitted nowhere: the text was not the one that the call saw, or the log has only a part of the diff. */
export interface LooseHunk extends Hunk {
  readonly origin: Origin;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/;

export function hunksOf(diff: string): readonly Hunk[] {
  const hunks: { readonly start: number; readonly rows: Row[] }[] = [];
  for (const row of diff.split("\n")) {
    const header = HEADER.exec(row);
    const rows = hunks.at(-1)?.rows;
    const sign = row[0];
    // A side without lines is numbered by the line before it.
    if (header) hunks.push({ start: Number(header[1]) - (header[2] === "0" ? 0 : 1), rows: [] });
    else if (sign === " " || sign === "-" || sign === "+") rows?.push({ sign, line: `${row.slice(1)}\n` });
    else if (sign === "\\") {
      const last = rows?.pop(); // the row above has no line end
      if (last) rows?.push({ ...last, line: last.line.slice(0, -1) });
    }
  }
  return hunks;
}

interface Text {
  readonly lines: string[];
  readonly by: MaybeOrigin[];
}

/** The text with these hunks applied, and those that fit nowhere. */
export function applied(
  version: Version,
  hunks: readonly Hunk[],
  origin: Origin,
): { readonly version: Version; readonly loose: readonly LooseHunk[] } {
  const text: Text = { lines: [...version.lines], by: [...version.by] };
  const loose: LooseHunk[] = [];
  let shift = 0;
  for (const hunk of hunks) {
    const [old, now] = [linesOf(hunk, "-"), linesOf(hunk, "+")];
    const at = placeOf(old, text.lines, hunk.start + shift);
    if (at !== undefined) {
      replace(text, at, hunk, origin);
      shift = at - hunk.start + now.length - old.length;
    } else if (!markDone(text, hunk, hunk.start + shift, origin)) loose.push({ ...hunk, origin });
  }
  return { version: text, loose };
}

function replace({ lines, by }: Text, at: number, hunk: Hunk, origin: Origin): void {
  const origins: MaybeOrigin[] = [];
  let before = at;
  for (const { sign } of hunk.rows) {
    if (sign !== "-") origins.push(sign === "+" ? origin : by[before]);
    if (sign !== "+") before++;
  }
  lines.splice(at, before - at, ...linesOf(hunk, "+"));
  by.splice(at, before - at, ...origins);
}

/** Whether the text already is what the hunk makes of it; its added lines then get the origin, unless they have one. */
function markDone({ lines, by }: Text, hunk: Hunk, wanted: number, origin: Origin): boolean {
  const now = hunk.rows.filter(({ sign }) => sign !== "-");
  if (!now.some(({ sign }) => sign === "+")) return true; // it only removed lines that are gone
  const at = placeOf(linesOf(hunk, "+"), lines, wanted);
  if (at === undefined) return false;
  for (const [k, { sign }] of now.entries()) if (sign === "+") by[at + k] ??= origin;
  return true;
}

/** The hunk's lines before (`-`) or after (`+`) the change. */
function linesOf({ rows }: Hunk, side: "-" | "+"): readonly string[] {
  return rows.flatMap(({ sign, line }) => (sign === " " || sign === side ? [line] : []));
}

/** Where the text has these lines, nearest to `wanted`. */
function placeOf(block: readonly string[], lines: readonly string[], wanted: number): number | undefined {
  if (block.length === 0) return wanted <= lines.length ? wanted : undefined;
  const isAt = (at: number): boolean =>
    at >= 0 && at + block.length <= lines.length && block.every((line, k) => lines[at + k] === line);
  for (let off = 0; off <= Math.max(wanted, lines.length); off++)
    for (const at of [wanted - off, wanted + off]) if (isAt(at)) return at;
  return undefined;
}

/** Finds the lines that loose hunks added among those at `places`, the newest hunk's first. */
export function settled(version: Version, loose: readonly LooseHunk[], places: ReadonlySet<number>): Version {
  const by = [...version.by];
  const free = new Set(places);
  for (const hunk of loose.toReversed()) {
    const now = hunk.rows.filter(({ sign }) => sign !== "-");
    const lines = linesOf(hunk, "+");
    const whole = placeOf(lines, version.lines, hunk.start);
    const runs =
      whole === undefined ? runsOf(lines, version.lines) : [{ from: 0, to: lines.length, at: whole }];
    for (const { from, to, at } of runs) {
      // Of a hunk that is no longer whole, a lone bracket proves nothing.
      const isProven = whole !== undefined || lines.slice(from, to).some((line) => /[^\W_]{2}/.test(line));
      for (let k = from; isProven && k < to; k++)
        if (now[k]?.sign === "+" && free.delete(at + k - from)) by[at + k - from] = hunk.origin;
    }
  }
  return { lines: version.lines, by };
}

/** Lines `from..to` of `a` are also in `b`, from `at` on. */
function* runsOf(
  a: readonly string[],
  b: readonly string[],
): Generator<{ readonly from: number; readonly to: number; readonly at: number }> {
  let [from, at] = [0, 0];
  for (const [aStart, aEnd, , bEnd] of changedRanges(a, b)) {
    yield { from, to: aStart, at };
    [from, at] = [aEnd, bEnd];
  }
  yield { from, to: a.length, at };
}
