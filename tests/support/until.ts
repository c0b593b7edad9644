// Waiting for what happens, never for a time: no machine is too slow for these limits.

import { vi } from "vitest";

/** How long a test waits for what must come, in milliseconds. */
export const PATIENCE_MS = 60_000;

/** Resolves once nothing is thrown any more; rejects with what is. */
export function untilHolds(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 });
}

/** Resolves once it is so. */
export function until(isSo: () => boolean | Promise<boolean>): Promise<unknown> {
  return vi.waitUntil(isSo, { timeout: PATIENCE_MS, interval: 10 });
}
