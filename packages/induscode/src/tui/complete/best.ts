/** Keeps the best few of many items that arrive one by one. Among equals the first stays first. */
export interface Best<Item> {
  readonly add: (item: Item, score: number) => void;
  /** The score that an item must exceed to be kept. */
  readonly least: () => number;
  /** The best first. */
  readonly all: () => readonly Item[];
}

/** Keeps at most `most` items. */
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
