// The fence around foreign code: one call, one deadline, one fault. What it throws or how long it takes never crosses.

import { Aborted } from "indusagi/core";
import type { FeatureFault, HandlerContext } from "./contract.ts";

export interface FenceOptions {
  /** How long one handler may take, in milliseconds. */
  readonly deadlineMs: number;
  /** What a failing gate does that does not say so itself. */
  readonly onGateFailure: "allow" | "block";
  readonly onFault: (fault: FeatureFault) => void;
}

/** Ten times what a careful handler needs, and short enough that a person does not think the session died. */
export const DEFAULT_DEADLINE_MS = 5_000;

/** Stands for a call that failed and has been reported. */
export const FAILED: unique symbol = Symbol("failed");

export interface HandlerCall {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Runs a handler. A synchronous one costs no timer and no promise. Never throws, never rejects. */
export function callHandler<T>(
  run: (context: HandlerContext) => T | Promise<T>,
  call: HandlerCall,
): T | typeof FAILED | Promise<T | typeof FAILED> {
  const { deadlineMs, signal, onError } = call;
  const deadline = new AbortController();
  const fail = (error: unknown): typeof FAILED => {
    onError(error);
    return FAILED;
  };
  let result: T | Promise<T>;
  try {
    result = run({ signal: deadline.signal });
  } catch (error) {
    return fail(error);
  }
  if (!(result instanceof Promise)) return result;
  const pending = result;
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
    pending.then(settle, (error: unknown) => {
      if (!deadline.signal.aborted) settle(fail(error));
    });
  });
}
