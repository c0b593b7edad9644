// One call of a tool or a command, whose time is the policy's and not a fence's.

import { Aborted, describeError } from "indusagi/core";
import type { AddonId } from "../contract.ts";
import type { HostCalls } from "./host-calls.ts";
import { Quarantined, type RemoteAddon } from "./remote-addon.ts";

/** What every call to an addon needs. */
export interface CallFacts {
  /** What the program calls itself, else what the addon was called before it ran. */
  readonly id: AddonId;
  readonly remote: RemoteAddon;
  readonly calls: HostCalls;
  readonly timeoutMs: number;
}

/** How many time limits a call may last while it waits for the host: with 30 s as long as a command line may run. */
const MAX_LIMITS = 20;

/** One call under the policy's time limit (seed 000). What the addon spends waiting for the host is not its own time. */
export async function underDeadline<T>(
  { id, timeoutMs, calls }: CallFacts,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const until = new AbortController();
  // Whatever the caller's reason is: that nobody waits any more is not the addon's fault.
  const onAbort = (): void => until.abort(new Aborted());
  const begin = (): NodeJS.Timeout =>
    setTimeout(() => {
      if (calls.isServing() && limits < MAX_LIMITS) {
        limits++;
        timer = begin();
      } else until.abort(new Error(`no answer within ${timeoutMs * limits} ms`));
    }, timeoutMs);
  let limits = 1;
  let timer = begin();
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await call(until.signal);
  } catch (error) {
    const why: unknown = until.signal.aborted ? until.signal.reason : error;
    if (why instanceof Aborted || why instanceof Quarantined) throw why;
    // No fence around tools and commands knows whose they are.
    throw new Error(`the addon ${id} failed: ${describeError(why)}`, { cause: why });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
