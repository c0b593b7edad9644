/** Keeps the best few of many that come one by one. Of equals the first one stays first. */
export interface Best<Item> {
  readonly add: (item: Item, score: number) => void;
  /** What an item must be better than to be kept. */
  readonly least: () => number;
  /** The best first. */
  readonly all: () => readonly Item[];
}

/** Holds at most `most` of them. */
export function createBest<Item>(most: number): Best<Item> {
  const kept: { readonly item: Item; readonly score: number }[] = [];
  return {
    add: (item, score) => {
      if (score === Number.NEGATIVE_INFINITY) return;
      if (kept.length === most && score <= (kept.at(-1)?.score ?? 0)) return;
      let at = kept.length;
      while (at > 0 && (kept[at - 1]?.score ?? 0) < score) at -= 1;
      kept.splice(at, 0, { item, score });
      if (kept.length > most) kept.pop();
    },
    least: () => (kept.length === most ? (kept.at(-1)?.score ?? 0) : Number.NEGATIVE_INFINITY),
    all: () => kept.map(({ item }) => item),
  };
}
