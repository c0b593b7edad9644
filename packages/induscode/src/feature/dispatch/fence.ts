// The fence around foreign code: one call, one deadline, one fault. Neither its errors nor its delays get past it.

import { Aborted, NO_SCOPE, type SessionScope } from "indusagi/core";
import type { FailurePolicy, HostCapability } from "../descriptor.ts";
import type { HostHandlerContext } from "../handler.ts";
import { DEFAULT_DEADLINE_MS } from "../handler-limits.ts";
import { type HolderReach, reachOf } from "../host.ts";
import type { FeatureFault } from "../install-report.ts";
import type { FeatureServices, FeatureSinks } from "../services.ts";
import { type FenceClock, MACHINE_CLOCK } from "./fence-clock.ts";
import { NotAsked } from "./time-budget.ts";

export interface FenceOptions {
  /** How long one handler may take, in milliseconds. The limit for several together follows from it (`handler-limits`). */
  readonly deadlineMs: number;
  /** What a failing gate does that declares nothing itself. */
  readonly onGateFailure: FailurePolicy;
  readonly onFault: (fault: FeatureFault) => void;
  /** The machine's clock, unless a test replaces it. */
  readonly clock?: FenceClock;
  /** The session these events and calls belong to; absent: none. */
  readonly session?: SessionScope;
}

export type Fence = Required<FenceOptions>;

/**
 * Thrown by a handler of a feature that is not running, for a reason already reported when it stopped. It is not another
 * fault; what the feature guards opens or closes as for a fault.
 */
export class NotRunning extends Error {
  override readonly name: string = "NotRunning";
}

/** Why something is stopped when its guard could not judge it. */
export function closedBecause(what: string, error: unknown): string {
  if (error instanceof NotRunning) return `${error.message}; until then, what it guards is blocked`;
  if (error instanceof NotAsked)
    return `${what} was not called, because ${error.message}; it blocks on failure`;
  return `${what} failed, and it blocks on failure`;
}

/** Defaults for callers without a session: five seconds, failing gates let pass, faults become Node warnings. */
export function fenceOf(options: Partial<FenceOptions> = {}): Fence {
  const onFault = ({ message }: FeatureFault): void => process.emitWarning(message);
  return {
    deadlineMs: DEFAULT_DEADLINE_MS,
    onGateFailure: "allow",
    onFault,
    clock: MACHINE_CLOCK,
    session: NO_SCOPE,
    ...options,
  };
}

/** Stands for a call that failed and has been reported. */
export const FAILED: unique symbol = Symbol("failed");

/** Whose handler is called, and what that feature was granted; absent means nothing. */
export interface HandlerOwner {
  readonly feature: string;
  readonly grants?: readonly HostCapability[];
  /** See {@link FeatureDescriptor.patienceMs}. */
  readonly patienceMs?: number | undefined;
}

export interface HandlerCall<T, R> {
  readonly owner: HandlerOwner;
  readonly deadlineMs: number;
  /** Says why the deadline is shorter than one handler's; absent when it is not. */
  readonly whyNear?: (() => string) | undefined;
  readonly clock: FenceClock;
  readonly session: SessionScope;
  readonly signal: AbortSignal;
  /** What the session makes of the result. Throws when the result breaks the contract. */
  readonly accept: (result: T) => R;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs a handler and returns what `accept` made of its result. A synchronous handler costs no timer and no promise. Never
 * throws, never rejects.
 */
export function callHandler<T, R>(
  run: (context: HostHandlerContext) => T | Promise<T>,
  call: HandlerCall<T, R>,
): R | typeof FAILED | Promise<R | typeof FAILED> {
  const context = new CallContext(call);
  try {
    const result = run(context);
    if (!isThenable(result)) return context.accept(result);
    return waitFor(result, context, call);
  } catch (error) {
    call.onError(error);
    return FAILED;
  }
}

function waitFor<T, R>(
  pending: PromiseLike<T>,
  context: CallContext<T, R>,
  { deadlineMs, signal, onError, clock, whyNear }: HandlerCall<T, R>,
): Promise<R | typeof FAILED> {
  const fail = (error: unknown): typeof FAILED => {
    onError(error);
    return FAILED;
  };
  return new Promise((resolve) => {
    const onAbort = (): void => stop(new Aborted("the session stopped waiting"));
    const late = (): Error => {
      const problem = `no answer within ${Math.round(deadlineMs)} ms`;
      return new Error(whyNear ? `${problem}, the time it had left: ${whyNear()}` : problem);
    };
    const stopTimer = clock.after(deadlineMs, () => stop(late()));
    const settle = (value: R | typeof FAILED): void => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    };
    const stop = (reason: Error): void => {
      context.end(reason);
      settle(fail(reason));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    // Our promise around theirs: whatever their `then` does, ours settles at most once and never throws.
    const answer = new Promise<T>((follow) => follow(pending));
    answer
      .then((result) => (context.isOver ? undefined : settle(context.accept(result))))
      .then(undefined, (error: unknown) => {
        if (!context.isOver) settle(fail(error));
      });
  });
}

/** Creates its parts when first read: most handlers return at once and read none. */
class CallContext<T, R> implements HostHandlerContext {
  isOver = false;
  readonly session: SessionScope;
  readonly #accept: (result: T) => R;
  readonly #owner: HandlerOwner;
  #accepted: { readonly result: T; readonly as: R } | undefined;
  #reason: Error | undefined;
  #controller: AbortController | undefined;

  constructor({ accept, session, owner }: Pick<HandlerCall<T, R>, "accept" | "session" | "owner">) {
    this.#accept = accept;
    this.#owner = owner;
    this.session = session;
  }

  get sinks(): FeatureSinks | undefined {
    return this.#reach()?.sinks;
  }

  get services(): FeatureServices | undefined {
    return this.#reach()?.services;
  }

  #reach(): HolderReach | undefined {
    const { feature, grants = [] } = this.#owner;
    return reachOf(this.session, { feature, grants });
  }

  get check(): (returned: unknown) => void {
    return (returned) => {
      const result = returned as T;
      this.#accepted = { result, as: this.accept(result) };
    };
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Once per result: one that the handler already had checked is not checked again. */
  accept(result: T): R {
    const before = this.#accepted;
    return before !== undefined && before.result === result ? before.as : this.#accept(result);
  }

  end(reason: Error): void {
    this.isOver = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

// Any thenable is awaited, as `await` would do, so any thenable gets the deadline.
function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  return typeof (value as Partial<PromiseLike<T>>).then === "function";
}
