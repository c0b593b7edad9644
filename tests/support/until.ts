// Waiting for what happens, never for a time: no machine is too slow for these limits.

import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";

/** How long a test waits for what must come, in milliseconds. */
export const PATIENCE_MS = 60_000;

/** Resolves once nothing is thrown any more; rejects with what is. */
export function untilHolds(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 });
}

/** Nothing is thrown for a while: what must not come has the time to. A slow machine only makes this a weaker proof. */
export async function goesOnHolding(check: () => unknown): Promise<void> {
  for (let times = 0; times < 15; times++) {
    check();
    await pause(20);
  }
  check();
}

/** Resolves once it is so. */
export function until(isSo: () => boolean | Promise<boolean>): Promise<unknown> {
  return vi.waitUntil(isSo, { timeout: PATIENCE_MS, interval: 10 });
}
