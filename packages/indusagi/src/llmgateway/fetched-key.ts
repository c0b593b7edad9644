// A provider whose key is fetched when it is first needed and may run out: by a command of the person's, or as a token. It is
// kept while it holds; a server that refuses it is asked once more with a new one.

import type { ModelCallOptions, ModelFault, ModelProvider, ModelRequest, ModelResult } from "./contract.ts";
import { ABORTED } from "./model-faults.ts";

export type FetchedKey =
  /** `untilMs`: the moment (epoch milliseconds) from which another is needed; absent: it holds for the session. */
  | { readonly ok: true; readonly key: string; readonly untilMs?: number }
  | { readonly ok: false; readonly fault: ModelFault };

export interface FetchedKeyFacts {
  readonly id: string;
  /** Never rejects. */
  readonly fetch: (signal: AbortSignal) => Promise<FetchedKey>;
  readonly make: (key: string) => ModelProvider | Promise<ModelProvider>;
  /** Hears each key before it is used. */
  readonly onKey: (key: string) => void;
  readonly now: () => number;
}

/** The provider that `make` gives, made anew with each key. */
export function withFetchedKey({ id, fetch, make, onKey, now }: FetchedKeyFacts): ModelProvider {
  let held: { readonly provider: ModelProvider; readonly untilMs: number } | undefined;
  let fetching: Promise<ModelFault | undefined> | undefined; // one for all calls that wait

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
      if (!used) continue; // another call's fetching was given up
      const result = await used.provider.stream(request, options);
      const isRefused = !result.ok && result.fault.status === 401;
      if (!isRefused || !isHeld || isAgain) return result; // a fresh one that is refused is wrong
      if (held === used) held = undefined;
    }
  };
  // No key is fetched for it.
  const countTokens: ModelProvider["countTokens"] = async (request, signal) =>
    held && now() < held.untilMs ? held.provider.countTokens?.(request, signal) : undefined;
  return { id, stream, countTokens };
}
