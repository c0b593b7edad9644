// The three kinds of handlers, each made from the function that runs.

import type { FailurePolicy } from "../../feature/descriptor.ts";
import type { ChangeOf } from "../../feature/events.ts";
import type { GateDecision, HandlerContext } from "../../feature/handler.ts";

/** What a handler does with its payload. */
export type HandlerRun<Payload, Result> = (
  payload: Payload,
  context: HandlerContext,
) => Result | Promise<Result>;

export interface ObserveHandler<Payload> {
  readonly kind: "observe";
  readonly run: HandlerRun<Payload, void>;
}

export interface TransformHandler<Payload> {
  readonly kind: "transform";
  readonly run: HandlerRun<Payload, ChangeOf<Payload>>;
}

export interface GateHandler<Payload> {
  readonly kind: "gate";
  readonly onFailure?: FailurePolicy;
  readonly run: HandlerRun<Payload, GateDecision | null | undefined>;
}

/** Sees the payload and changes nothing. */
export function observe<Payload>(run: HandlerRun<Payload, void>): ObserveHandler<Payload> {
  return { kind: "observe", run };
}

/** Returns the payload, or only the keys of it that it changes; undefined or null is not a change. */
export function transform<Payload>(run: HandlerRun<Payload, ChangeOf<Payload>>): TransformHandler<Payload> {
  return { kind: "transform", run };
}

/** May stop what is about to happen: return `stop("why")`, or nothing. With `onFailure: "block"` a failure stops it too. */
export function gate<Payload>(
  run: HandlerRun<Payload, GateDecision | null | undefined>,
  options: { readonly onFailure?: FailurePolicy } = {},
): GateHandler<Payload> {
  // A misspelt option would leave open what the author meant to close.
  const unknown = Object.keys(options).find((name) => name !== "onFailure");
  if (unknown !== undefined) throw new TypeError(`gate: "${unknown}" is not an option; expected onFailure`);
  return { kind: "gate", run, ...options };
}

/** The answer of a gate or an interceptor that stops; whoever was stopped reads the reason. */
export function stop(reason: string): GateDecision {
  return { stop: true, reason };
}
