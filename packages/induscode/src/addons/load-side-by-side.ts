// Loading several addons at once, as if one after the other.

import { deferred } from "indusagi/core";
import type { LoadedAddon, ModuleLoader } from "./contract.ts";
import type { AddonNames } from "./source/addon-names.ts";
import type { TrustDecision } from "./source/decide-trust.ts";

export type Trusted = TrustDecision & { readonly kind: "trusted" };

/** The result of each trusted addon's load, and how it tells those after it that its names are settled. */
export type Loads = ReadonlyMap<
  Trusted,
  { readonly addon: Promise<LoadedAddon>; readonly isTaken: () => void }
>;

/**
 * Processes start in parallel, at most `atOnce`. Whatever depends on an order waits its turn: an addon gets a name that another
 * might claim only once all before it are taken.
 */
export function loadSideBySide(
  trusted: readonly Trusted[],
  loader: Pick<ModuleLoader, "load">,
  names: Pick<AddonNames, "give">,
  atOnce: number,
): Loads {
  const turns = new Map(trusted.map((decision) => [decision, deferred<void>()]));
  const loads = sideBySide(trusted, atOnce, async (decision, index) => {
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

/** Starts them in order, at most `limit` at a time, and at least one. Each promise must be awaited; one that rejects does not delay the others. */
function sideBySide<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): readonly Promise<Result>[] {
  const waiting = items.map((item, index) => ({ item, index, result: deferred<Result>() }));
  const promises = waiting.map(({ result: { promise } }) => promise);
  for (const promise of promises) promise.catch(() => undefined); // whoever awaits it handles the error, perhaps later
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { item, index, result } = next;
      await work(item, index).then(result.resolve, result.reject);
    }
  };
  for (let lanes = 0; lanes < limit || lanes === 0; lanes++) void lane();
  return promises;
}
