// Counts what a search leaves out.

import type { SearchOmissions } from "../kernel/contract.ts";

export type Omissions = { -readonly [Reason in keyof SearchOmissions]-?: number };

const REASONS = [
  "ignored",
  "unreadable",
  "tooLarge",
  "binary",
  "special",
  "undecoded",
  "cutLines",
  "changed",
] as const;

export function createOmissions(): Omissions {
  return Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Omissions;
}

export function addOmissions(sum: Omissions, more: SearchOmissions): void {
  for (const reason of REASONS) sum[reason] += more[reason] ?? 0;
}

/** The omissions that occurred, in the form of a result. */
export function presentOmissions(omissions: SearchOmissions): SearchOmissions {
  return Object.fromEntries(
    REASONS.flatMap((reason) => ((omissions[reason] ?? 0) > 0 ? [[reason, omissions[reason]]] : [])),
  );
}
