// Credentials that are looked up for the first request, kept for the next ones, and looked up again a minute before they
// expire or when they are refused.

import { nowMs } from "../core/clock.ts";
import type { ModelFault } from "./contract.ts";

const EARLY_MS = 60_000;

/** `untilMs`: when they expire, in epoch milliseconds. */
type Lookup<Value> =
  | { readonly ok: true; readonly value: Value; readonly untilMs: number | undefined }
  | { readonly ok: false; readonly fault: ModelFault };

type Held<Value> =
  /** `forget`: only with kept ones, for when they are refused: new ones would be refused again. */
  | { readonly ok: true; readonly value: Value; readonly forget?: () => void }
  | { readonly ok: false; readonly fault: ModelFault };

/** Rejects only if `lookUp` does. */
export function holdCredentials<Value>(
  lookUp: (signal: AbortSignal) => Promise<Lookup<Value>>,
): (signal: AbortSignal) => Promise<Held<Value>> {
  let held: Extract<Lookup<Value>, { ok: true }> | undefined;
  return async (signal) => {
    const kept = held;
    if (kept !== undefined && nowMs() <= (kept.untilMs ?? Number.POSITIVE_INFINITY) - EARLY_MS) {
      const forget = (): void => {
        if (held === kept) held = undefined;
      };
      return { ok: true, value: kept.value, forget };
    }
    const found = await lookUp(signal);
    if (!found.ok) return found;
    held = found;
    return { ok: true, value: found.value };
  };
}
