// Few combinations of several axes that cover every value, or every pair of values. The full product is for the long form.

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
  const items = valuesOf(combination);
  return items.flatMap((one, at) => items.slice(at + 1).map((other) => `${one} ${other}`));
}

/** Each value of a combination, as texts. */
export function valuesOf(combination: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(combination).map(([axis, value]) => `${axis}=${value}`);
}

/** Few that hold every fact of all; the same few on every machine: always the first of those with the most facts not held yet. */
export function covering<Item>(
  all: readonly Item[],
  factsOf: (item: Item) => readonly string[],
): readonly Item[] {
  const candidates = all.map((item) => ({ item, facts: factsOf(item) }));
  const open = new Set(candidates.flatMap(({ facts }) => facts));
  const chosen: Item[] = [];
  const worth = (facts: readonly string[]): number => facts.filter((fact) => open.has(fact)).length;
  while (open.size > 0) {
    let best = candidates[0];
    let most = 0;
    for (const candidate of candidates) {
      const found = worth(candidate.facts);
      if (found > most) [best, most] = [candidate, found];
    }
    if (best === undefined) break;
    for (const fact of best.facts) open.delete(fact);
    chosen.push(best.item);
  }
  return chosen;
}

/** Few combinations that cover every pair. */
export function pairwise<Of extends Axes>(
  axes: Of,
  isPossible: (combination: Combination<Of>) => boolean = () => true,
): readonly Combination<Of>[] {
  return covering(allCombinations(axes, isPossible), pairsOf);
}
