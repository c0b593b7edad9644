// One call of a tool or a command, under the policy's time limit and not a fence's.

import { Aborted, describeError, monotonicMs } from "indusagi/core";
import { HostError } from "../../feature/fault-kind.ts";
import type { AddonId } from "../contract.ts";
import type { HostCalls } from "./host-calls.ts";
import type { ReadRegistration } from "./protocol/read-registration.ts";
import { Gone, Quarantined, type RemoteAddon } from "./remote-addon.ts";

/** What every call to an addon needs. */
export interface CallFacts {
  /** The id the program declares, or the addon's id before it has run. */
  readonly id: AddonId;
  readonly remote: RemoteAddon;
  /** If what it contributes may change: what that is now, and when the session has it. */
  readonly changing?: { readonly current: ReadRegistration; readonly settled: Promise<void> } | undefined;
  readonly calls: HostCalls;
  readonly timeoutMs: number;
  /** It is there for an MCP server, whose calls last as long as they report progress. */
  readonly isServer?: boolean;
}

/** How many time limits a call may last including its waits for the host: with 30 s, as long as a command line may run. */
const MAX_LIMITS = 20;
/** A manifest that sets a longer limit gets no more than that. */
const MAX_WHOLE_MS = 600_000;
/** A call that goes on reporting progress ends here. */
const MAX_REPORTED_MS = 3_600_000;

/**
 * One call under the policy's time limit. Waiting for the host does not use up the call's own time, except for
 * requests made before it. Keeping requests open gains no more time than the longest of them may take. `renew` begins a server's time anew.
 */
export async function underDeadline<T>(
  { id, timeoutMs, calls, isServer = false }: CallFacts,
  signal: AbortSignal,
  call: (signal: AbortSignal, renew: () => void) => Promise<T>,
): Promise<T> {
  const until = new AbortController();
  // Whatever the caller's reason: a cancelled call is not the addon's fault.
  const onAbort = (): void => until.abort(new Aborted());
  const late = (words: string): void => until.abort(new Error(words));
  let leftMs = timeoutMs;
  let sinceMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  const run = (): void => {
    sinceMs = monotonicMs();
    timer = setTimeout(() => late(lateInWords(timeoutMs, isServer)), leftMs);
  };
  const renew = (): void => {
    if (!isServer) return;
    leftMs = timeoutMs;
    if (isWaiting) return;
    clearTimeout(timer);
    run();
  };
  const unwatch = calls.watch((isServing) => {
    isWaiting = isServing;
    if (!isServing) return run();
    clearTimeout(timer);
    leftMs = Math.max(0, leftMs - (monotonicMs() - sinceMs));
  });
  const wholeMs = isServer ? MAX_REPORTED_MS : Math.min(timeoutMs * MAX_LIMITS, MAX_WHOLE_MS);
  const whole = setTimeout(() => late(`no answer within ${wholeMs} ms`), wholeMs);
  run();
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await call(until.signal, renew);
  } catch (error) {
    const why: unknown = until.signal.aborted ? until.signal.reason : error;
    if (why instanceof Aborted || why instanceof Quarantined || why instanceof Gone) throw why;
    // The fences around tools and commands do not know which addon they belong to.
    throw new HostError(`the addon ${id} failed: ${describeError(why)}`, { cause: why });
  } finally {
    unwatch();
    clearTimeout(timer);
    clearTimeout(whole);
    signal.removeEventListener("abort", onAbort);
  }
}

function lateInWords(ms: number, isServer: boolean): string {
  return isServer
    ? `the server did not answer within ${ms / 1_000} s, which call-seconds in [run] sets`
    : `no answer within ${ms} ms`;
}
