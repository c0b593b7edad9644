import type { Entry } from "./contract.ts";
import { ContextFold } from "./fold.ts";

/** What a log's requests look like when they are rebuilt from its entries. */
export interface Verification {
  readonly requests: number;
  /** Entry numbers of requests whose rebuilt digest differs from the logged one. */
  readonly mismatches: readonly number[];
}

/** Rebuilds every request of a session from its entries and compares digests (invariant 1). */
export function verifyEntries(entries: readonly Entry[]): Verification {
  const fold = new ContextFold();
  const mismatches: number[] = [];
  let requests = 0;
  for (const entry of entries) {
    if (entry.type === "request") {
      requests++;
      if (entry.digest !== fold.digest()) mismatches.push(entry.n);
    }
    fold.add(entry);
  }
  return { requests, mismatches };
}
