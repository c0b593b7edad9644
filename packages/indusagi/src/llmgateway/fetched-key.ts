// A provider whose key is fetched when first needed and may expire: by a command of the person's, or as a token. It is kept while
// it is valid; if the server refuses it, the request is repeated once with a new one.

import type { ModelCallOptions, ModelFault, ModelProvider, ModelRequest, ModelResult } from "./contract.ts";
import { ABORTED } from "./model-faults.ts";

export type FetchedKey =
  /** `untilMs`: the time (epoch milliseconds) from which a new key is needed; absent: it is valid for the session. */
  | { readonly ok: true; readonly key: string; readonly untilMs?: number }
  | { readonly ok: false; readonly fault: ModelFault };

export interface FetchedKeyFacts {
  readonly id: string;
  /** Never rejects. */
  readonly fetch: (signal: AbortSignal) => Promise<FetchedKey>;
  readonly make: (key: string) => ModelProvider | Promise<ModelProvider>;
  /** Receives each key before it is used. */
  readonly onKey: (key: string) => void;
  readonly now: () => number;
}

/** The provider made by `make`, recreated with each key. */
export function withFetchedKey({ id, fetch, make, onKey, now }: FetchedKeyFacts): ModelProvider {
  let held: { readonly provider: ModelProvider; readonly untilMs: number } | undefined;
  let fetching: Promise<ModelFault | undefined> | undefined; // shared by all waiting calls

  const renew = async (signal: AbortSignal): Promise<ModelFault | undefined> => {
    const fetched = await fetch(signal);
    if (!fetched.ok) return fetched.fault;
    onKey(fetched.key);
    held = { provider: await make(fetched.key), untilMs: fetched.untilMs ?? Number.POSITIVE_INFINITY };
    return undefined;
  };
  const stream = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelResult> => {
    for (let isAgain = false; ; isAgain = true) {
      const isHeld = held !== undefined && now() < held.untilMs;
      if (!isHeld) {
        fetching ??= renew(options.signal).finally(() => {
          fetching = undefined;
        });
        const fault = await fetching;
        if (options.signal.aborted) return { ok: false, fault: ABORTED };
        if (fault) return { ok: false, fault };
      }
      const used = held;
      if (!used) continue; // another call's fetch was cancelled
      const result = await used.provider.stream(request, options);
      const isRefused = !result.ok && result.fault.status === 401;
      if (!isRefused || !isHeld || isAgain) return result; // a fresh key that is refused is wrong
      if (held === used) held = undefined;
    }
  };
  // Counting does not fetch a key.
  const countTokens: ModelProvider["countTokens"] = async (request, signal) =>
    held && now() < held.untilMs ? held.provider.countTokens?.(request, signal) : undefined;
  return { id, stream, countTokens };
}
