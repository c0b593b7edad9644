// An error's fault kind, when the error itself knows better than its catcher.

import type { FeatureFaultKind } from "./install-report.ts";

/** How many wrapped errors are followed. */
const MAX_CAUSES = 8;

/** The `faultKind` of `error` or of one of its causes; otherwise `otherwise`. */
export function faultKindOf(error: unknown, otherwise: FeatureFaultKind): FeatureFaultKind {
  let each: unknown = error;
  // Only the host's own errors count: an error an addon throws in this process does not.
  for (let depth = 0; depth < MAX_CAUSES && each instanceof HostError; depth++) {
    if (each.faultKind !== undefined) return each.faultKind;
    each = each.cause;
  }
  return otherwise;
}

/** An error the host creates for something a feature did. */
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
