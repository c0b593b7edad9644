// A decision as the log stores it: bounded, whatever the call contains.

import type { Ruling } from "../../feature/decision.ts";
import type { PermissionAnswer } from "../../feature/permission.ts";
import type { CallDecision } from "../contract.ts";
import type { Decided, PermissionRequest } from "./decision-types.ts";

const MAX_RULINGS = 20;
const MAX_CHARS = 300;
/** A truncated rule would be a different rule. */
const MAX_CHANGE = 2_000;

export function decisionRecord(
  { tool, callId, by, changedBy }: PermissionRequest,
  { rulings, change }: Pick<Decided, "rulings" | "change">,
  outcome: CallDecision["outcome"],
  answer?: PermissionAnswer["kind"],
): CallDecision {
  const weighty = (["deny", "ask", "allow"] as const).flatMap((each) =>
    rulings.filter((ruling) => ruling.outcome === each),
  );
  const kept = rulings.length > MAX_RULINGS ? weighty.slice(0, MAX_RULINGS) : rulings;
  return {
    tool,
    callId,
    outcome,
    answer,
    by,
    changedBy: changedBy === undefined || changedBy.length === 0 ? undefined : changedBy,
    rulings: kept.map(short),
    change: outcome === "allowed" || change === undefined || change.length > MAX_CHANGE ? undefined : change,
    more: kept.length < rulings.length ? rulings.length - kept.length : undefined,
  };
}

function short(ruling: Ruling): Ruling {
  return { ...ruling, what: cut(ruling.what), why: cut(ruling.why) };
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
