// The mode in which a question would not have been asked: it is offered beside the other answers.

import type { OfferedMode } from "../../feature/permission.ts";
import { createDecider, type DecideDeps } from "./decide.ts";
import { widthOfMode } from "./modes.ts";
import type { ResolvedAccess } from "./resolved-access.ts";

/** What a session says about switching its mode by an answer. */
export interface ModeOffers {
  /** Nothing holds it back. */
  readonly isAllowed: (mode: OfferedMode) => boolean;
  /** Whether commands would run in a sandbox in auto. */
  readonly isConfined: () => Promise<boolean>;
  /** Switches to it. */
  readonly choose: (mode: OfferedMode) => void;
}

export type OfferMode = (
  tool: string,
  resolved: readonly ResolvedAccess[],
) => Promise<OfferedMode | undefined>;

/** From the narrowest: no more is offered than the question needs. */
const OFFERED: readonly OfferedMode[] = ["acceptEdits", "auto"];

/** Finds the mode to offer for what is open; undefined if none would let it pass, or none that does is allowed. */
export function createModeOffer(offers: ModeOffers | undefined, deps: DecideDeps): OfferMode {
  return async (tool, resolved) => {
    if (offers === undefined || deps.isPlanning()) return undefined;
    for (const each of OFFERED) {
      if (widthOfMode(each) <= widthOfMode(deps.mode()) || !offers.isAllowed(each)) continue;
      const then = each === "auto" && (await offers.isConfined()) ? resolved.map(confined) : resolved;
      const { decide } = createDecider({ ...deps, mode: () => each });
      if (decide(tool, then).outcome === "allow") return each;
    }
    return undefined;
  };
}

function confined(resolved: ResolvedAccess): ResolvedAccess {
  return resolved.leaving === undefined ? { ...resolved, isConfined: true } : resolved;
}
