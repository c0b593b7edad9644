// The fence around foreign code: one call, one deadline, one fault. What it throws or how long it takes never crosses.

import { Aborted } from "indusagi/core";
import type { FailurePolicy, FeatureFault, HandlerContext } from "./contract.ts";

export interface FenceOptions {
  /** How long one handler may take, in milliseconds. */
  readonly deadlineMs: number;
  /** What a failing gate does that does not say so itself. */
  readonly onGateFailure: FailurePolicy;
  readonly onFault: (fault: FeatureFault) => void;
}

/** Ten times what a careful handler needs, and short enough that a person does not think the session died. */
export const DEFAULT_DEADLINE_MS = 5_000;

/**
 * What a handler throws whose feature does not run at present, for a reason that was told when it stopped. It is no further
 * fault; what the feature guards is opened or closed as for one.
 */
export class NotRunning extends Error {
  override readonly name: string = "NotRunning";
}

/** Why a thing is stopped whose guard could not judge it. */
export function closedBecause(what: string, error: unknown): string {
  if (error instanceof NotRunning) return `${error.message}; until then what it guards stays closed`;
  return `${what} failed, and it blocks when it fails`;
}

/** Stands for a call that failed and has been reported. */
export const FAILED: unique symbol = Symbol("failed");

export interface HandlerCall<T> {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Throws when the result is not of the shape that the contract promises. */
  readonly check?: ((result: T) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** Runs a handler. A synchronous one costs no timer and no promise. Never throws, never rejects. */
export function callHandler<T>(
  run: (context: HandlerContext) => T | Promise<T>,
  call: HandlerCall<T>,
): T | typeof FAILED | Promise<T | typeof FAILED> {
  const { deadlineMs, signal, check, onError } = call;
  const deadline = new AbortController();
  const fail = (error: unknown): typeof FAILED => {
    onError(error);
    return FAILED;
  };
  const accept = (result: T): T => {
    check?.(result);
    return result;
  };
  let pending: PromiseLike<T>;
  try {
    const result = run({ signal: deadline.signal });
    if (!isThenable(result)) return accept(result);
    pending = result;
  } catch (error) {
    return fail(error);
  }
  return new Promise((resolve) => {
    const onAbort = (): void => stop(new Aborted("the session stopped waiting"));
    const timer = setTimeout(() => stop(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    const settle = (value: T | typeof FAILED): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    };
    const stop = (reason: Error): void => {
      deadline.abort(reason);
      settle(fail(reason));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    // A promise of ours around theirs: whatever their `then` does, ours settles at most once and never throws.
    const answer = new Promise<T>((follow) => follow(pending));
    answer.then(accept).then(settle, (error: unknown) => {
      if (!deadline.signal.aborted) settle(fail(error));
    });
  });
}

// Any thenable is waited for, as `await` would, so any thenable gets the deadline.
function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  return typeof (value as Partial<PromiseLike<T>>).then === "function";
}
