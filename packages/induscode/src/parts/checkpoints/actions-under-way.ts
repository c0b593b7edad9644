// Which actions of a session may be changing files right now.

import type { AfterChange } from "../../cli/part.ts";

export interface ActionsUnderWay {
  /** One begins; the result is called when it is over, and told whether something that it started still runs. */
  readonly begin: () => AfterChange;
  readonly areAny: () => boolean;
}

export function createActionsUnderWay(): ActionsUnderWay {
  let underWay = 0;
  const running = new Set<() => boolean>();
  return {
    begin() {
      underWay++;
      let isOver = false;
      return (runsOn) => {
        if (isOver) return;
        isOver = true;
        underWay--;
        if (runsOn?.()) running.add(runsOn);
      };
    },
    areAny() {
      for (const runsOn of running) if (!runsOn()) running.delete(runsOn);
      return underWay > 0 || running.size > 0;
    },
  };
}
