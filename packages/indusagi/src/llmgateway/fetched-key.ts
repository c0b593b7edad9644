// A provider whose key is fetched when first needed and may expire: by a command of the person's, or as a token. It is kept while
// it is valid; if the server refuses it, the request is repeated once with a new one.

import { abortable } from "../core/abort.ts";
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

interface Fetching {
  readonly done: Promise<ModelFault | undefined>;
  readonly controller: AbortController;
  /** How many calls need it. */
  waiting: number;
}

/** The provider made by `make`, recreated with each key. */
export function withFetchedKey({ id, fetch, make, onKey, now }: FetchedKeyFacts): ModelProvider {
  let held: { readonly provider: ModelProvider; readonly untilMs: number } | undefined;
  let fetching: Fetching | undefined;

  const renew = async (signal: AbortSignal): Promise<ModelFault | undefined> => {
    const fetched = await fetch(signal);
    if (!fetched.ok) return fetched.fault;
    onKey(fetched.key);
    held = { provider: await make(fetched.key), untilMs: fetched.untilMs ?? Number.POSITIVE_INFINITY };
    return undefined;
  };
  /** One fetch for all calls that wait; it is cancelled only when none of them does any more. */
  const renewed = async (signal: AbortSignal): Promise<ModelFault | undefined> => {
    fetching ??= begin();
    const own = fetching;
    own.waiting++;
    try {
      return await abortable(own.done, signal);
    } catch {
      return ABORTED; // a fetch never rejects
    } finally {
      if (--own.waiting === 0) {
        own.controller.abort();
        if (fetching === own) fetching = undefined;
      }
    }
  };
  const begin = (): Fetching => {
    const controller = new AbortController();
    return { controller, waiting: 0, done: renew(controller.signal) };
  };
  const stream = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelResult> => {
    for (let isAgain = false; ; isAgain = true) {
      const isHeld = held !== undefined && now() < held.untilMs;
      if (!isHeld) {
        const fault = await renewed(options.signal);
        if (fault) return { ok: false, fault };
      }
      const used = held;
      if (!used) continue; // another call, with the same key, was refused meanwhile
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
