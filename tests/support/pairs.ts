// Few combinations of several axes that cover every pair: each value of one axis occurs together with each value of another
// in at least one of them. Defects hide in pairs; the full product is for the long form.

export type Axes = Readonly<Record<string, readonly string[]>>;
export type Combination<Of extends Axes> = { readonly [Axis in keyof Of]: Of[Axis][number] };

/** Every combination, in order, except impossible ones. */
export function allCombinations<Of extends Axes>(
  axes: Of,
  isPossible: (combination: Combination<Of>) => boolean = () => true,
): readonly Combination<Of>[] {
  let found: readonly Record<string, string>[] = [{}];
  for (const [axis, values] of Object.entries(axes))
    found = found.flatMap((rest) => values.map((value) => ({ ...rest, [axis]: value })));
  return (found as readonly Combination<Of>[]).filter(isPossible);
}

/** The pairs of a combination, as texts. */
export function pairsOf(combination: Readonly<Record<string, string>>): readonly string[] {
  const items = Object.entries(combination).map(([axis, value]) => `${axis}=${value}`);
  return items.flatMap((one, at) => items.slice(at + 1).map((other) => `${one} ${other}`));
}

/** The same few on every machine: always the first of those that cover the most pairs not covered yet. */
export function pairwise<Of extends Axes>(
  axes: Of,
  isPossible: (combination: Combination<Of>) => boolean = () => true,
): readonly Combination<Of>[] {
  const candidates = allCombinations(axes, isPossible).map((combination) => ({
    combination,
    pairs: pairsOf(combination),
  }));
  const open = new Set(candidates.flatMap(({ pairs }) => pairs));
  const chosen: Combination<Of>[] = [];
  const worth = (pairs: readonly string[]): number => pairs.filter((pair) => open.has(pair)).length;
  while (open.size > 0) {
    let best = candidates[0];
    let most = 0;
    for (const candidate of candidates) {
      const found = worth(candidate.pairs);
      if (found > most) [best, most] = [candidate, found];
    }
    if (best === undefined) break;
    for (const pair of best.pairs) open.delete(pair);
    chosen.push(best.combination);
  }
  return chosen;
}
