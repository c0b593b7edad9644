// Asks again after the failures that pass by themselves. The conversation above sees one call.

import { Aborted, delay } from "../core/abort.ts";
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
  /** Attempts after the first; default 3. */
  readonly maxRetries?: number;
  /** The first wait in milliseconds, doubled each time and varied by a quarter; default 2,000. */
  readonly baseMs?: number;
  /** The longest wait that a provider may ask for, in milliseconds; default 60,000. */
  readonly maxWaitMs?: number;
  /** Rejects with `Aborted` as soon as the signal fires. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random?: () => number;
}

const PASSING: readonly ModelFaultKind[] = ["rate_limit", "overloaded", "server", "transport", "timeout"];

/**
 * `provider`, with passing faults retried. Before each wait a `retry` delta says what happened and voids every
 * delta since the call began. A provider that asks for a longer wait than `maxWaitMs` is not waited for.
 */
export function withRetry(provider: ModelProvider, options: RetryOptions = {}): ModelProvider {
  const { maxRetries = 3, baseMs = 2_000, maxWaitMs = 60_000, sleep = delay, random = Math.random } = options;

  const stream = async (request: ModelRequest, call: ModelCallOptions): Promise<ModelResult> => {
    for (let attempt = 1; ; attempt++) {
      const result = await provider.stream(request, call);
      if (result.ok || !PASSING.includes(result.fault.kind)) return result;
      const { fault } = result;
      if (attempt > maxRetries) return { ok: false, fault: amended(fault, `(tried ${attempt} times)`) };
      if (fault.retryAfterMs !== undefined && fault.retryAfterMs > maxWaitMs) {
        return {
          ok: false,
          fault: amended(fault, `Not waited for: longer than ${Math.round(maxWaitMs / 1000)} s.`),
        };
      }
      const backoffMs = baseMs * 2 ** (attempt - 1) * (0.75 + random() / 2);
      const waitMs = Math.round(fault.retryAfterMs ?? backoffMs);
      call.onDelta({ kind: "retry", attempt, waitMs, fault });
      try {
        await sleep(waitMs, call.signal);
      } catch (error) {
        if (error instanceof Aborted) return { ok: false, fault: ABORTED };
        throw error;
      }
    }
  };
  return { id: provider.id, stream };
}

function amended(fault: ModelFault, remark: string): ModelFault {
  return { ...fault, message: `${fault.message} ${remark}` };
}
