// One fan-out, transform and veto engine over the event table. Handlers run in subscription order, each
// inside a fence; transforms and gates are awaited until their deadline, and the first stop ends the walk.

import { type HookEvent, type PayloadOf, RESERVED_EVENTS } from "../events.ts";
import type {
  Attribution,
  DispatchOutcome,
  EventSubscription,
  HookDispatch,
  HookHandler,
} from "../handler.ts";
import { DEADLINES_AT_THE_END, DEADLINES_IN_ONE_CALL } from "../handler-limits.ts";
import { Asking } from "./asking.ts";
import { attribute } from "./attribute.ts";
import { createDispatchState, type DispatchState } from "./dispatch-state.ts";
import { EventWalk } from "./event-walk.ts";
import { type Fence, type FenceOptions, fenceOf } from "./fence.ts";
import { type CallTime, createCallTime } from "./time-budget.ts";

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
    const walk = new EventWalk({
      ...{ event, payload, subscriptions, asking, delegate, view },
      fence: this.#fence,
      state: this.#state,
    });
    for (const [at, subscription] of subscriptions.entries()) {
      const visited = walk.visit(subscription, at);
      const gate = visited instanceof Promise ? await visited : visited;
      if (gate) return walk.outcome(gate);
    }
    return walk.outcome();
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

const NEVER = new AbortController().signal;
