// Retries after transient failures. The caller sees one call.

import { Aborted, delay } from "../core/abort.ts";
import { monotonicMs } from "../core/clock.ts";
import type {
  ModelCallOptions,
  ModelFault,
  ModelFaultKind,
  ModelProvider,
  ModelRequest,
  ModelResult,
} from "./contract.ts";
import { ABORTED } from "./model-faults.ts";

export interface RetryOptions {
  /** How long a call may take, waits included, before no further wait is started, in milliseconds; default ten minutes. */
  readonly maxTotalMs?: number;
  /** The first wait in milliseconds, doubled each time up to a minute and varied by a quarter; default 2,000. */
  readonly baseMs?: number;
  /** Rejects with `Aborted` as soon as the signal fires. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const TEN_MINUTES_MS = 600_000;
const MAX_BACKOFF_MS = 60_000;

const PASSING: readonly ModelFaultKind[] = ["rate_limit", "overloaded", "server", "transport", "timeout"];

/** Whether the same request may succeed a little later. */
export function isPassing({ kind }: ModelFault): boolean {
  return PASSING.includes(kind);
}

/**
 * `provider`, with passing faults retried. Before each wait a `retry` delta says what happened and voids every delta since the call
 * began. A wait that would end after `maxTotalMs` is not started, even if the server asked for it.
 */
export function withRetry(provider: ModelProvider, options: RetryOptions = {}): ModelProvider {
  const {
    maxTotalMs = TEN_MINUTES_MS,
    baseMs = 2_000,
    sleep = delay,
    random = Math.random,
    now = monotonicMs,
  } = options;

  const stream = async (request: ModelRequest, call: ModelCallOptions): Promise<ModelResult> => {
    const endMs = now() + maxTotalMs;
    for (let attempt = 1; ; attempt++) {
      const result = await provider.stream(request, call);
      if (result.ok || !isPassing(result.fault)) return result;
      const { fault } = result;
      const backoffMs = Math.min(baseMs * 2 ** (attempt - 1), MAX_BACKOFF_MS) * (0.75 + random() / 2);
      const waitMs = Math.round(fault.retryAfterMs ?? backoffMs);
      if (now() + waitMs > endMs)
        return { ok: false, fault: amended(fault, gaveUp(attempt, fault, maxTotalMs)) };
      const of = mostTries(attempt, waitMs, { baseMs, leftMs: endMs - now() });
      call.onDelta({ kind: "retry", attempt, of, waitMs, fault });
      try {
        await sleep(waitMs, call.signal);
      } catch (error) {
        if (error instanceof Aborted) return { ok: false, fault: ABORTED };
        throw error;
      }
    }
  };
  return { ...provider, stream };
}

const MANY_TRIES = 100;

/** The number of the last try that the remaining time allows, if each fails at once; undefined if time is not the limit. */
function mostTries(
  attempt: number,
  waitMs: number,
  { baseMs, leftMs }: { readonly baseMs: number; readonly leftMs: number },
): number | undefined {
  let most = attempt;
  for (let spentMs = waitMs; most < MANY_TRIES; most++) {
    spentMs += Math.min(baseMs * 2 ** most, MAX_BACKOFF_MS);
    if (spentMs > leftMs) return most;
  }
  return undefined;
}

function gaveUp(attempts: number, { retryAfterMs }: ModelFault, maxTotalMs: number): string {
  if (attempts > 1) return `(tried ${attempts} times)`;
  if (retryAfterMs === undefined || maxTotalMs === 0) return "";
  const asked = Math.ceil(retryAfterMs / 1000);
  return `(not retried: it asks to wait ${asked} s; the limit is ${Math.round(maxTotalMs / 1000)} s)`;
}

function amended(fault: ModelFault, remark: string): ModelFault {
  return { ...fault, message: `${fault.message} ${remark}`.trimEnd() };
}
