// Waits for events, never for a fixed time: these limits are long enough for any machine.

import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";

/** How long a test waits for something that must happen, in milliseconds. */
export const PATIENCE_MS = 60_000;

/** Resolves once `check` no longer throws; rejects with what it throws. */
export function untilHolds(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 });
}

/** `check` must not throw for a while: an unwanted event has time to occur. On a slow machine this is only weaker evidence. */
export async function goesOnHolding(check: () => unknown): Promise<void> {
  for (let times = 0; times < 15; times++) {
    check();
    await pause(20);
  }
  check();
}

/** Resolves once `isSo` returns true. */
export function until(isSo: () => boolean | Promise<boolean>): Promise<unknown> {
  return vi.waitUntil(isSo, { timeout: PATIENCE_MS, interval: 10 });
}
