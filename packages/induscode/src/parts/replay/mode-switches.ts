// The permission mode as it was switched in a recorded session, at the same places of its replay.

import type { Entry, ModeEntry } from "../../conductor/contract.ts";
import { endOf } from "./played-model.ts";
import type { TapedLine } from "./tape.ts";

export interface ModeSwitches {
  /** This line is about to be submitted; `replay` switches the mode, absent if it stays as it is. */
  readonly begin: (line: TapedLine, replay: ((change: ModeEntry) => void) | undefined) => void;
  /** One more call was decided. */
  readonly onDecision: () => void;
  /** The line has been answered. */
  readonly end: () => void;
}

/** After how many decisions of its line a switch comes. */
interface PlacedSwitch {
  readonly after: number;
  readonly entry: ModeEntry;
}

export function createModeSwitches(): ModeSwitches {
  let replay: Parameters<ModeSwitches["begin"]>[1];
  let waiting: readonly PlacedSwitch[] = [];
  let decided = 0;
  const play = (until: number): void => {
    const due = waiting.filter(({ after }) => after <= until);
    waiting = waiting.filter(({ after }) => after > until);
    for (const { entry } of due) replay?.(entry);
  };
  return {
    begin({ entries }, switchMode) {
      replay = switchMode;
      waiting = placed(entries);
      decided = 0;
      play(decided);
    },
    onDecision: () => play(++decided),
    end: () => play(Number.POSITIVE_INFINITY),
  };
}

function placed(entries: readonly Entry[]): readonly PlacedSwitch[] {
  const end = endOf(entries);
  let decisions = 0;
  return entries.flatMap((entry): readonly PlacedSwitch[] => {
    if (entry.type === "decision") decisions++;
    if (entry.type !== "mode") return [];
    if (end !== undefined && entry.n > end.n) return [{ after: Number.POSITIVE_INFINITY, entry }];
    // It comes with the answer to a question, before the decision that this settles.
    return [{ after: decisions + (entry.by === "answer" ? 1 : 0), entry }];
  });
}
