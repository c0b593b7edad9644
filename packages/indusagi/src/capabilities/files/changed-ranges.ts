// Which lines differ between two texts. A shortest script where that is cheap, and always fast: for two long texts with little
// in common, the shortest script would take minutes.

import { diff } from "fast-myers-diff";

/** Lines `oldStart..oldEnd` were replaced by lines `nowStart..nowEnd`; from 0, half-open. */
export type ChangedRange = readonly [oldStart: number, oldEnd: number, nowStart: number, nowEnd: number];

/**
 * The changes from `old` to `now`, in order, never adjacent. A shortest script within a fixed cost; beyond it the texts are
 * split at lines that occur exactly once in each (patience diff), and a part that is still too costly counts as replaced.
 */
export function changedRanges(old: readonly string[], now: readonly string[]): readonly ChangedRange[] {
  const start = commonStart(old, now);
  const end = commonEnd(old, now, start);
  const { a, b } = numbered(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const ranges: ChangedRange[] = [];
  let atOld = start;
  let atNow = start;
  const changeUntil = (oldEnd: number, nowEnd: number): void => {
    if (oldEnd > atOld || nowEnd > atNow) ranges.push([atOld, oldEnd, atNow, nowEnd]);
  };
  for (const [i, j] of pairsOf(a, b)) {
    changeUntil(start + i, start + j);
    atOld = start + i + 1;
    atNow = start + j + 1;
  }
  changeUntil(old.length - end, now.length - end);
  return ranges;
}

/** Lines with their line ends; a final line end starts no further line, and an empty text has no lines. */
export function splitLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** Lines as numbers, which cost the same to compare whatever their length, and the place of each. */
interface Side {
  readonly numbers: Uint32Array;
  /** `places[k]`: the index of the k-th line. A line missing on the other side cannot match and is left out. */
  readonly places: Uint32Array;
}

/** An unchanged line: its index in the old and in the new lines. */
type Pair = readonly [old: number, now: number];

/** Half-open ranges of both sides. */
interface Part {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
}

const FIRST_COST = 1_000_000; // comparisons: 15 ms
const PARTS_COST = 4_000_000;

function* pairsOf(a: Side, b: Side): Generator<Pair> {
  const whole: Part = { a: a.numbers, b: b.numbers };
  const pairs = shortest(whole, { left: FIRST_COST }) ?? splitAtUnique(whole);
  for (const [i, j] of pairs) yield [a.places[i] ?? 0, b.places[j] ?? 0];
}

function numbered(old: readonly string[], now: readonly string[]): { readonly a: Side; readonly b: Side } {
  const known = new Map<string, number>();
  const numberOf = (line: string): number => {
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    return number;
  };
  const a = Uint32Array.from(old, numberOf);
  const b = Uint32Array.from(now, numberOf);
  return { a: shared(a, countsOf(b, known.size)), b: shared(b, countsOf(a, known.size)) };
}

function shared(numbers: Uint32Array, countsInOther: Uint32Array): Side {
  const places = Uint32Array.from(numbers.keys()).filter((at) => countsInOther[numbers[at] ?? 0] !== 0);
  return { numbers: places.map((at) => numbers[at] ?? 0), places };
}

function countsOf(numbers: Uint32Array, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (const number of numbers) counts[number] = (counts[number] ?? 0) + 1;
  return counts;
}

class CostReached extends Error {}

/** The pairs of a longest common subsequence; undefined if `cost` runs out first. */
function shortest({ a, b }: Part, cost: { left: number }): readonly Pair[] | undefined {
  const isSame = (i: number, j: number): boolean => {
    if (--cost.left < 0) throw new CostReached();
    return a[i] === b[j];
  };
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  const pairUntil = (end: number): void => {
    while (i < end) pairs.push([i++, j++]);
  };
  try {
    for (const [oldStart, oldEnd, , nowEnd] of diff(a, b, isSame)) {
      pairUntil(oldStart);
      i = oldEnd;
      j = nowEnd;
    }
  } catch (error) {
    if (error instanceof CostReached) return undefined;
    throw error;
  }
  pairUntil(a.length);
  return pairs;
}

function* splitAtUnique({ a, b }: Part): Generator<Pair> {
  const cost = { left: PARTS_COST };
  let i = 0;
  let j = 0;
  for (const [nextOld, nextNow] of [...uniqueInOrder({ a, b }), [a.length, b.length] as const]) {
    const part = { a: a.subarray(i, nextOld), b: b.subarray(j, nextNow) };
    for (const [inOld, inNow] of shortest(part, cost) ?? []) yield [i + inOld, j + inNow];
    if (nextOld < a.length) yield [nextOld, nextNow];
    i = nextOld + 1;
    j = nextNow + 1;
  }
}

/** The longest sequence of lines that occur exactly once on both sides, in the same order. */
function uniqueInOrder({ a, b }: Part): readonly Pair[] {
  const size = a.reduce((largest, number) => Math.max(largest, number), 0) + 1;
  const inA = countsOf(a, size);
  const inB = countsOf(b, size);
  const placeInB = new Uint32Array(size);
  for (const [j, number] of b.entries()) placeInB[number] = j;
  const pairs: Pair[] = [];
  for (const [i, number] of a.entries()) {
    if (inA[number] === 1 && inB[number] === 1) pairs.push([i, placeInB[number] ?? 0]);
  }
  return longestIncreasing(pairs);
}

/** Patience sorting: `piles[k]` ends the best sequence of k + 1 pairs so far. */
function longestIncreasing(pairs: readonly Pair[]): readonly Pair[] {
  interface Run {
    readonly pair: Pair;
    readonly before: Run | undefined;
  }
  const piles: Run[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    piles[low] = { pair, before: piles[low - 1] };
  }
  const longest: Pair[] = [];
  for (let run = piles.at(-1); run !== undefined; run = run.before) longest.push(run.pair);
  return longest.reverse();
}

function commonStart(old: readonly string[], now: readonly string[]): number {
  const shorter = Math.min(old.length, now.length);
  let length = 0;
  while (length < shorter && old[length] === now[length]) length++;
  return length;
}

function commonEnd(old: readonly string[], now: readonly string[], start: number): number {
  const shorter = Math.min(old.length, now.length) - start;
  let length = 0;
  while (length < shorter && old[old.length - 1 - length] === now[now.length - 1 - length]) length++;
  return length;
}
