// A session is a tree: an entry's parent is the entry before it; a jump's parent is the entry it names. The branch in force is the
// one that ends with the last entry; everything else stays in the log.

import type { Entry } from "./contract.ts";
import { ContextFold, type FoldMark } from "./fold.ts";

/** A start asks several parts about the same entries: `find` goes through them once. */
export function once<Found>(
  find: (entries: readonly Entry[]) => Found,
): (entries: readonly Entry[]) => Found {
  const answers = new WeakMap<readonly Entry[], { readonly found: Found }>();
  return (entries) => {
    const known = answers.get(entries);
    if (known) return known.found;
    const found = find(entries);
    answers.set(entries, { found });
    return found;
  };
}

/** Maps the index of each jump in `entries` to the index of its parent, -1 for the beginning. */
export const jumpsIn: (entries: readonly Entry[]) => ReadonlyMap<number, number> = once((entries) => {
  const jumps = new Map<number, number>();
  if (!entries.some(({ type }) => type === "jump")) return jumps; // true of nearly all logs
  const places = new Map(entries.map(({ n }, index) => [n, index]));
  for (const [at, entry] of entries.entries()) {
    if (entry.type !== "jump") continue;
    const named = places.get(entry.to) ?? at;
    // A damaged log may lack the named entry; the nearest one before it is used instead.
    jumps.set(at, named < at ? named : entries.findLastIndex(({ n }, i) => i < at && n <= entry.to));
  }
  return jumps;
});

/** The entries of the branch in force, in order. */
export function branchOf(entries: readonly Entry[]): readonly Entry[] {
  const jumps = jumpsIn(entries);
  if (jumps.size === 0) return entries;
  const branch: Entry[] = [];
  for (let at = entries.length - 1; at >= 0; at = jumps.get(at) ?? at - 1) {
    const entry = entries[at];
    if (entry) branch.push(entry);
  }
  return branch.reverse();
}

/** The view of the branch in force. `before` is called with each entry, on any branch, and the view before that entry was added. */
export function foldEntries(
  entries: readonly Entry[],
  before?: (entry: Entry, fold: ContextFold) => void,
): ContextFold {
  const { fold, add } = startFold(jumpsIn(entries));
  for (const entry of entries) {
    before?.(entry, fold);
    add(entry);
  }
  return fold;
}

/** A view to which all entries are added one by one; `jumps` comes from {@link jumpsIn}. */
export function startFold(jumps: ReadonlyMap<number, number>): {
  readonly fold: ContextFold;
  readonly add: (entry: Entry) => void;
} {
  const fold = new ContextFold();
  const wanted = new Set(jumps.values());
  const marks = new Map<number, FoldMark>([[-1, fold.mark()]]);
  let at = 0;
  return {
    fold,
    add(entry) {
      const mark = marks.get(jumps.get(at) ?? Number.NaN);
      if (mark) fold.goBack(mark);
      fold.add(entry);
      if (wanted.has(at)) marks.set(at, fold.mark());
      at++;
    },
  };
}

/** What the person typed in this entry; empty if it is only a picture. */
export function saidText({ typed, content }: Extract<Entry, { readonly type: "user" }>): string {
  return (typed ?? content).flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}
