// What kind of fault an error is, where the error itself knows better than whoever caught it.

import type { FeatureFaultKind } from "./contract.ts";

/** As many errors as wrap one another. */
const MAX_CAUSES = 8;

/** The kind that `error`, or what caused it, says by its `faultKind`; else `otherwise`. */
export function faultKindOf(error: unknown, otherwise: FeatureFaultKind): FeatureFaultKind {
  let each: unknown = error;
  // Only errors of the host's own making say so: one that an addon throws in this process does not.
  for (let depth = 0; depth < MAX_CAUSES && each instanceof HostError; depth++) {
    if (each.faultKind !== undefined) return each.faultKind;
    each = each.cause;
  }
  return otherwise;
}

/** An error that the host makes of what a feature did. */
export class HostError extends Error {
  readonly faultKind: FeatureFaultKind | undefined;
  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly faultKind?: FeatureFaultKind } = {},
  ) {
    super(message, { cause: options.cause });
    this.faultKind = options.faultKind;
  }
}
