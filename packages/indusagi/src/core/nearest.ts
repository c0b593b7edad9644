// "Did you mean": the known word closest to a mistyped one.

/** Longer words are not considered typing errors. */
const MAX_CHARS = 64;

/**
 * The candidate with the fewest typing errors relative to `word` (a letter added, missing, changed, or swapped with the next),
 * ignoring case. Undefined if none is close: one error is allowed for a short word, a third of the letters for a long one.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_CHARS) return undefined;
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const slips = slipsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (slips < fewest) [best, fewest] = [candidate, slips];
  }
  return best;
}

/** The optimal string alignment distance. */
function slipsBetween(from: string, to: string): number {
  let twoBefore: number[] = [];
  let before = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const now = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let slips = Math.min(
        (before[column - 1] ?? 0) + (isSame ? 0 : 1),
        (before[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
      );
      const isSwapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwapped) slips = Math.min(slips, (twoBefore[column - 2] ?? 0) + 1);
      now.push(slips);
    }
    [twoBefore, before] = [before, now];
  }
  return before[to.length] ?? 0;
}
