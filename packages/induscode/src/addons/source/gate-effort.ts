// How much all gates of one manifest may look through for one event. They run in the session's own thread, where no
// deadline can interrupt them, so the work is limited instead of the time.

import { NotAsked } from "../../feature/dispatch/time-budget.ts";

/** How many characters all rules of one addon may look at together for one event: a few tenths of a second. */
export const MAX_GATE_EFFORT: number = 32 * 1024 * 1024;

export interface GateEffort {
  /** Counts that many characters; throws if they exceed what is left. */
  readonly spend: (characters: number) => void;
  /** The text of an argument, made once for all gates. */
  readonly textOf: (argument: string, make: () => string) => string;
}

export function createGateEffort(most: number = MAX_GATE_EFFORT): GateEffort {
  const texts = new Map<string, string>();
  let spent = 0;
  let isTold = false;
  return {
    spend(characters) {
      spent += characters;
      if (spent <= most) return;
      const wasTold = isTold;
      isTold = true;
      const why = `its gates may examine ${most} characters in total per event`;
      throw new NotAsked(`${why}; the rest was not examined`, { isTold: wasTold });
    },
    textOf(argument, make) {
      const known = texts.get(argument) ?? make();
      texts.set(argument, known);
      return known;
    },
  };
}

/** The effort of each event: the addon's first gate starts it, and its other gates share it. */
export function createGateEfforts(): (payload: object, isFirst: boolean) => GateEffort {
  const efforts = new WeakMap<object, GateEffort>();
  return (payload, isFirst) => {
    const known = isFirst ? undefined : efforts.get(payload);
    if (known) return known;
    const begun = createGateEffort();
    efforts.set(payload, begun);
    return begun;
  };
}
