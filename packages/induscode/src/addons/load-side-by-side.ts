// Loading several addons at once, as if one after the other.

import { deferred, delay } from "indusagi/core";
import type { LoadedAddon, ModuleLoader } from "./contract.ts";
import type { AddonNames } from "./source/addon-names.ts";
import type { TrustDecision } from "./source/decide-trust.ts";

export type Trusted = TrustDecision & { readonly kind: "trusted" };

/** The result of each trusted addon's load, and how it tells those after it that its names are settled. */
export type Loads = ReadonlyMap<
  Trusted,
  { readonly addon: Promise<LoadedAddon>; readonly isTaken: () => void }
>;

/** How long a load has its place, in milliseconds: what takes longer waits for something else than a core, such as a server that hangs. */
const PLACE_MS = 2_000;

export interface Places {
  /** How many loads have a place at the same time. */
  readonly atOnce: number;
  /** Resolves when a load no longer has its place, though it goes on; rejects once `signal` fires. Default: after two seconds. */
  readonly outOfPlace?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/**
 * Processes start in parallel, a place for each. Whatever depends on an order waits its turn: an addon gets a name that another
 * might claim only once all before it are taken.
 */
export function loadSideBySide(
  trusted: readonly Trusted[],
  loader: Pick<ModuleLoader, "load">,
  names: Pick<AddonNames, "give">,
  places: Places,
): Loads {
  const turns = new Map(trusted.map((decision) => [decision, deferred<void>()]));
  const loads = sideBySide(trusted, places, async (decision, index) => {
    const { source, hash, grants } = decision;
    const before = trusted[index - 1];
    return loader.load(source, {
      hash,
      grants,
      async name(declared) {
        if (declared !== source.id && before) await turns.get(before)?.promise;
        return names.give(source, declared);
      },
    });
  });
  return new Map(
    trusted.map((decision, index) => [
      decision,
      { addon: loads[index] as Promise<LoadedAddon>, isTaken: () => turns.get(decision)?.resolve() },
    ]),
  );
}

/**
 * Starts them in order, as many as there are places, and at least one; one that is out of its place goes on beside the next. Each promise
 * must be awaited; one that rejects does not delay the others.
 */
function sideBySide<Item, Result>(
  items: readonly Item[],
  { atOnce, outOfPlace = (signal) => delay(PLACE_MS, signal) }: Places,
  work: (item: Item, index: number) => Promise<Result>,
): readonly Promise<Result>[] {
  const waiting = items.map((item, index) => ({ item, index, result: deferred<Result>() }));
  const promises = waiting.map(({ result: { promise } }) => promise);
  for (const promise of promises) promise.catch(() => undefined); // whoever awaits it handles the error, perhaps later
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { item, index, result } = next;
      const done = work(item, index).then(result.resolve, result.reject);
      if (waiting.length === 0) return; // nobody waits for the place
      const end = new AbortController();
      await Promise.race([done, outOfPlace(end.signal).catch(() => undefined)]);
      end.abort();
    }
  };
  for (let lanes = 0; lanes < atOnce || lanes === 0; lanes++) void lane();
  return promises;
}
