// Counting what a search leaves out.

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
  return {
    ignored: 0,
    unreadable: 0,
    tooLarge: 0,
    binary: 0,
    special: 0,
    undecoded: 0,
    cutLines: 0,
    changed: 0,
  };
}

export function addOmissions(sum: Omissions, more: SearchOmissions): void {
  for (const reason of REASONS) sum[reason] += more[reason] ?? 0;
}

/** Those that there are, as a result has them. */
export function presentOmissions(omissions: SearchOmissions): SearchOmissions {
  return Object.fromEntries(
    REASONS.flatMap((reason) => ((omissions[reason] ?? 0) > 0 ? [[reason, omissions[reason]]] : [])),
  );
}
