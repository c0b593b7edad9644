// How much features may add to what a model reads: a budget per feature and turn.

import { jsonBytes } from "indusagi/core";
import { MAX_GROWTH_BYTES } from "../handler-limits.ts";

export interface GrowthBudget {
  /**
   * Counts `feature` replacing `before` with `after`; throws when it would add more than allowed. A change to one request
   * only (`lasts: false`) must fit on top of earlier additions, but is not counted for the next.
   */
  readonly spend: (feature: string, change: GrowthChange) => void;
  /** Resets what has been added so far. */
  readonly endTurn: () => void;
}

export interface GrowthChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly lasts: boolean;
}

export function createGrowthBudget(): GrowthBudget {
  const added = new Map<string, number>();
  return {
    spend(feature, { before, after, lasts }) {
      const grown = jsonBytes(after) - jsonBytes(before);
      if (grown <= 0) return;
      const earlier = added.get(feature) ?? 0;
      if (earlier + grown > MAX_GROWTH_BYTES) {
        const onTop = earlier === 0 ? "" : ` to the ${earlier} of this turn`;
        const problem = `its result adds ${grown} bytes${onTop}; an addon may add ${MAX_GROWTH_BYTES} in a turn`;
        throw new RangeError(problem);
      }
      if (lasts) added.set(feature, earlier + grown);
    },
    endTurn: () => added.clear(),
  };
}
