// One fan-out, transform and veto engine over the event table. Handlers run in subscription order, each
// inside a fence; transforms and gates are awaited until their deadline, and the first stop ends the walk.

import { describeError } from "indusagi/core";
import { acceptPayload } from "./accept-payload.ts";
import { Asking } from "./asking.ts";
import { lackFor } from "./deeds.ts";
import type { FailurePolicy } from "./descriptor.ts";
import { createDispatchState, type DispatchState } from "./dispatch-state.ts";
import type { HookEvent, PayloadOf } from "./events.ts";
import { RESERVED_EVENTS } from "./events.ts";
import { faultKindOf } from "./fault-kind.ts";
import { closedBecause, FAILED, type Fence, type FenceOptions, fenceOf, NotRunning } from "./fence.ts";
import { deepFreeze } from "./freeze.ts";
import type {
  Attribution,
  DispatchOutcome,
  EventSubscription,
  GateDecision,
  HookDispatch,
  HookHandler,
} from "./handler.ts";
import { DEADLINES_AT_THE_END, DEADLINES_IN_ONE_CALL } from "./handler-limits.ts";
import { acceptDecision } from "./handler-results.ts";
import type { FeatureFault } from "./install-report.ts";
import { type CallTime, createCallTime, NotAsked } from "./time-budget.ts";
import { changedVariables } from "./variables.ts";

export interface DispatchOptions<E extends HookEvent = HookEvent> {
  readonly signal: AbortSignal;
  /** The delegate whose session it is: each handler can read it in its payload, and none can change it. */
  readonly delegate?: string | undefined;
  /** The time of the call this is dispatched for; without one the event has its own. */
  readonly time?: CallTime;
  /** The part of a payload a feature is shown; absent when every feature sees all of it. */
  readonly view?: ((feature: string, payload: PayloadOf<E>) => PayloadOf<E>) | undefined;
}

/** Dispatches events to what the registry committed. Never rejects: a failing handler is a fault. */
export class EventDispatcher implements HookDispatch {
  readonly #byEvent = new Map<HookEvent, EventSubscription[]>();
  /** How many features handle an event; counted on first use. */
  readonly #features = new Map<HookEvent, number>();
  readonly #fence: Fence;
  readonly #state: DispatchState;

  constructor(
    subscriptions: readonly EventSubscription[],
    fence: Partial<FenceOptions> = {},
    state?: DispatchState,
  ) {
    this.#fence = fenceOf(fence);
    this.#state = state ?? createDispatchState(this.#fence);
    for (const subscription of subscriptions) {
      const known = this.#byEvent.get(subscription.event);
      if (known) known.push(subscription);
      else this.#byEvent.set(subscription.event, [subscription]);
    }
  }

  /** The events at which a stop takes effect. */
  get reserved(): ReadonlySet<HookEvent> {
    return RESERVED_EVENTS;
  }

  /** Whether any feature handles `event`; if none does, dispatching costs one map look-up. */
  has(event: HookEvent, kind?: HookHandler["kind"]): boolean {
    const subscriptions = this.#byEvent.get(event);
    if (!subscriptions) return false;
    return kind === undefined || subscriptions.some(({ handler }) => handler.kind === kind);
  }

  /** Owners and kinds of an event's handlers, in order. */
  explain(event: HookEvent): readonly { readonly by: Attribution; readonly kind: string }[] {
    return (this.#byEvent.get(event) ?? []).map((each) => ({ by: attribute(each), kind: each.handler.kind }));
  }

  settled(): Promise<void> {
    return this.#state.observers.settled();
  }

  async dispatch<E extends HookEvent>(
    event: E,
    payload: PayloadOf<E>,
    { signal = NEVER, delegate, time: call, view }: Partial<DispatchOptions<E>> = {},
  ): Promise<DispatchOutcome<E>> {
    // Every feature's budget resets at the end of a turn; a delegate's turn belongs to the turn it works for.
    if (event === "turn:end" && delegate === undefined) this.#state.growth.endTurn();
    const subscriptions = this.#byEvent.get(event) as readonly EventSubscription<E>[] | undefined;
    if (!subscriptions) return { payload, changedBy: [] };
    const asking = new Asking(this.#fence, call ?? this.#timeOf(event, subscriptions), signal);
    let current = payload;
    // One shared object until a handler changes it, so that what one handler caches for it, the next can reuse.
    const toldOf = (what: PayloadOf<E>): PayloadOf<E> =>
      delegate === undefined ? what : { ...what, delegate };
    let told = toldOf(current);
    let frozen: PayloadOf<E> | undefined;
    const changedBy: Attribution[] = [];
    let steps: PayloadOf<E>[] | undefined;
    let at = -1;
    for (const subscription of subscriptions) {
      at += 1;
      const { handler, feature } = subscription;
      if (view !== undefined) told = toldOf(view(feature, current));
      if (!handler.isRemote && frozen !== told) frozen = deepFreeze(told);
      const given = told;
      let failure: unknown;
      const onError = (error: unknown): void => {
        failure = error;
        const isTold = error instanceof NotRunning || (error instanceof NotAsked && error.isTold);
        if (!isTold) this.#fence.onFault(handlerFault(event, feature, error));
      };
      if (handler.kind === "observe") {
        const started = asking.ask({
          among: subscriptions,
          at,
          owner: subscription,
          // Having to wait is not a fault of this event: the observers it waited for are the late ones.
          onError: (error) => (error instanceof NotAsked ? onError(error) : undefined),
          accept: ignore,
          run: () =>
            this.#state.observers.start({
              owner: subscription,
              run: (context) => handler.run(given, context),
              onError,
            }),
        });
        if (started instanceof Promise) await started;
      } else if (handler.kind === "transform") {
        const answer = asking.ask({
          among: subscriptions,
          at,
          owner: subscription,
          onError,
          run: (context) => handler.run(given, context),
          accept: (returned) => {
            const after = acceptPayload(event, {
              given,
              returned,
              requireRoom: (change) => this.#state.growth.spend(feature, change),
            });
            if (event === "shell:env" && after) requireSettable(subscription, given, after);
            return after;
          },
        });
        const next = answer instanceof Promise ? await answer : answer;
        if (next === FAILED) {
          if (subscription.onFailure !== "block" || !RESERVED_EVENTS.has(event)) continue;
          const reason = closedBecause(`the handler of ${feature}`, failure);
          const gate = { stop: true, reason, by: attribute(subscription) };
          return { payload: current, changedBy, ...stepped(steps), gate };
        }
        if (next !== undefined) {
          const { delegate: _, ...changed } = next;
          current = changed as PayloadOf<E>;
          told = toldOf(current);
          changedBy.push(attribute(subscription));
          steps = [...(steps ?? []), current];
        }
      } else {
        const answer = asking.ask({
          among: subscriptions,
          at,
          owner: subscription,
          onError,
          run: (context) => handler.run(given, context),
          accept: acceptDecision,
        });
        const decision = answer instanceof Promise ? await answer : answer;
        const stop =
          decision === FAILED
            ? failedGate(
                gatePolicy(subscription.onFailure, handler.onFailure ?? this.#fence.onGateFailure),
                feature,
                failure,
              )
            : decision;
        if (stop?.stop) {
          const gate = { ...stop, by: attribute(subscription) };
          return { payload: current, changedBy, ...stepped(steps), gate };
        }
      }
    }
    return { payload: current, changedBy, ...stepped(steps) };
  }

  /** The time of an event outside a call. At a session's end somebody is waiting for their shell prompt. */
  #timeOf(event: HookEvent, subscriptions: readonly Pick<EventSubscription, "feature">[]): CallTime {
    const deadlines = event === "session:end" ? DEADLINES_AT_THE_END : DEADLINES_IN_ONE_CALL;
    let features = this.#features.get(event);
    if (features === undefined) {
      features = new Set(subscriptions.map(({ feature }) => feature)).size;
      this.#features.set(event, features);
    }
    return createCallTime(this.#fence.deadlineMs * deadlines, features);
  }
}

function stepped<Payload>(steps: readonly Payload[] | undefined): { readonly steps?: readonly Payload[] } {
  return steps === undefined ? {} : { steps };
}

/** Variables can affect what runs, outside any sandbox and after the person agreed to the command. */
function requireSettable(
  { feature, grants = [] }: Pick<EventSubscription, "feature" | "grants">,
  before: object,
  after: object,
): void {
  const environments = [before, after] as readonly PayloadOf<"shell:env">[];
  for (const { name, value } of changedVariables(environments[0]?.env, environments[1]?.env)) {
    const lack = lackFor({ kind: "variable", name, value }, { feature, grants }, { root: "/" });
    if (lack !== undefined) throw new Error(`it may not set ${name} for a command: ${lack}`);
  }
}

const NEVER = new AbortController().signal;
const ignore = (): void => undefined;

// As the seed says, a failing gate lets the event pass and is reported, unless it declares `block`.
function failedGate(onFailure: FailurePolicy, feature: string, error: unknown): GateDecision | undefined {
  return onFailure === "block"
    ? { stop: true, reason: closedBecause(`the gate of ${feature}`, error) }
    : undefined;
}

/** The feature's own `block` closes each of its gates, whatever the gate declares. */
function gatePolicy(whole: FailurePolicy | undefined, own: FailurePolicy): FailurePolicy {
  return whole === "block" ? "block" : own;
}

/** Who did something. */
export function attribute({
  feature,
  version,
}: {
  readonly feature: string;
  readonly version?: string | undefined;
}): Attribution {
  return version === undefined ? { feature } : { feature, version };
}

function handlerFault(event: HookEvent, feature: string, error: unknown): FeatureFault {
  return {
    kind: faultKindOf(error, "handler"),
    owner: feature,
    message: `${feature} failed at ${event}: ${describeError(error)}`,
    cause: error,
  };
}
