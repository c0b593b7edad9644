// Detects when an addon has failed too often (issue: three faults of one kind in five minutes).

import { monotonicMs } from "indusagi/core";
import type { AddonFaultKind } from "../contract.ts";

export const QUARANTINE_FAULTS = 3;
export const QUARANTINE_WINDOW_MS: number = 5 * 60 * 1_000;

/** Counts faults by kind. */
interface FaultWindow {
  /** Records one; true if it reaches the limit. */
  readonly note: (kind: AddonFaultKind) => boolean;
  readonly clear: () => void;
}

export function createFaultWindow(): FaultWindow {
  const atMs = new Map<AddonFaultKind, number[]>();
  return {
    note(kind) {
      const sinceMs = monotonicMs() - QUARANTINE_WINDOW_MS;
      const recent = (atMs.get(kind) ?? []).filter((each) => each > sinceMs);
      recent.push(monotonicMs());
      atMs.set(kind, recent);
      return recent.length >= QUARANTINE_FAULTS;
    },
    clear: () => atMs.clear(),
  };
}
