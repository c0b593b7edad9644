// One event on its way through its handlers, and what they have made of it so far.

import { Aborted, describeError } from "indusagi/core";
import { lackFor } from "../deeds.ts";
import type { FailurePolicy } from "../descriptor.ts";
import { type HookEvent, type PayloadOf, RESERVED_EVENTS } from "../events.ts";
import { faultKindOf } from "../fault-kind.ts";
import type {
  Attribution,
  DispatchOutcome,
  EventSubscription,
  GateDecision,
  HookHandler,
} from "../handler.ts";
import { changedVariables } from "../variables.ts";
import { acceptPayload } from "./accept-payload.ts";
import type { Asking } from "./asking.ts";
import { attribute } from "./attribute.ts";
import type { DispatchState } from "./dispatch-state.ts";
import { closedBecause, FAILED, type Fence, NotRunning } from "./fence.ts";
import { deepFreeze } from "./freeze.ts";
import { acceptDecision } from "./handler-results.ts";
import { NotAsked } from "./time-budget.ts";

export interface WalkFacts<E extends HookEvent> {
  readonly event: E;
  readonly payload: PayloadOf<E>;
  readonly subscriptions: readonly EventSubscription<E>[];
  readonly asking: Asking;
  readonly fence: Fence;
  readonly state: DispatchState;
  /** The delegate whose session it is: each handler can read it in its payload, and none can change it. */
  readonly delegate: string | undefined;
  /** The part of a payload a feature is shown; absent when every feature sees all of it. */
  readonly view: ((feature: string, payload: PayloadOf<E>) => PayloadOf<E>) | undefined;
}

/** Ends the walk. */
type Gate = NonNullable<DispatchOutcome<HookEvent>["gate"]>;
type Visited = Gate | undefined;

type HandlerOf<E extends HookEvent, Kind extends HookHandler["kind"]> = Extract<
  EventSubscription<E>["handler"],
  { readonly kind: Kind }
>;

/** A handler, its place among the others, and what it is shown. */
interface Visit<E extends HookEvent> {
  readonly at: number;
  readonly owner: EventSubscription<E>;
  readonly given: PayloadOf<E>;
}

export class EventWalk<E extends HookEvent> {
  readonly #facts: WalkFacts<E>;
  #current: PayloadOf<E>;
  /** One shared object until a handler changes it, so that what one handler caches for it, the next can reuse. */
  #told: PayloadOf<E>;
  #frozen: PayloadOf<E> | undefined;
  readonly #changedBy: Attribution[] = [];
  #steps: readonly PayloadOf<E>[] | undefined;

  constructor(facts: WalkFacts<E>) {
    this.#facts = facts;
    this.#current = facts.payload;
    this.#told = this.#toldOf(facts.payload);
  }

  /** Asks one handler, within its time. */
  visit(owner: EventSubscription<E>, at: number): Visited | Promise<Visited> {
    const { view } = this.#facts;
    const { handler, feature } = owner;
    if (view !== undefined) this.#told = this.#toldOf(view(feature, this.#current));
    if (!handler.isRemote && this.#frozen !== this.#told) this.#frozen = deepFreeze(this.#told);
    const visit = { at, owner, given: this.#told };
    if (handler.kind === "observe") return this.#observe(handler, visit);
    return handler.kind === "transform" ? this.#transform(handler, visit) : this.#guard(handler, visit);
  }

  outcome(gate?: Gate): DispatchOutcome<E> {
    return {
      payload: this.#current,
      changedBy: this.#changedBy,
      ...(this.#steps === undefined ? {} : { steps: this.#steps }),
      ...(gate === undefined ? {} : { gate }),
    };
  }

  #observe(handler: HandlerOf<E, "observe">, { at, owner, given }: Visit<E>): Visited | Promise<Visited> {
    const { asking, state, subscriptions } = this.#facts;
    const onError = (error: unknown): void => this.#report(owner.feature, error);
    const started = asking.ask({
      among: subscriptions,
      at,
      owner,
      // Having to wait is not a fault of this event: the observers it waited for are the late ones.
      onError: (error) => (error instanceof NotAsked ? onError(error) : undefined),
      accept: () => undefined,
      run: () => state.observers.start({ owner, run: (context) => handler.run(given, context), onError }),
    });
    return started instanceof Promise ? started.then(() => undefined) : undefined;
  }

  #transform(handler: HandlerOf<E, "transform">, { at, owner, given }: Visit<E>): Visited | Promise<Visited> {
    const { asking, event, state, subscriptions } = this.#facts;
    const { feature } = owner;
    let failure: unknown;
    const answer = asking.ask({
      among: subscriptions,
      at,
      owner,
      onError: (error) => {
        failure = error;
        if (!(error instanceof Aborted)) this.#report(feature, error); // whoever ended what it was asked for knows
      },
      run: (context) => handler.run(given, context),
      accept: (returned) => {
        const after = acceptPayload(event, {
          given,
          returned,
          requireRoom: (change) => state.growth.spend(feature, change),
        });
        if (event === "shell:env" && after) requireSettable(owner, given, after);
        return after;
      },
    });
    const settle = (next: PayloadOf<E> | undefined | typeof FAILED): Visited => {
      if (next === FAILED) return this.#failedTransform(owner, failure);
      if (next !== undefined) this.#change(owner, next);
      return undefined;
    };
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  }

  #failedTransform(owner: EventSubscription<E>, failure: unknown): Visited {
    if (owner.onFailure !== "block" || !RESERVED_EVENTS.has(this.#facts.event)) return undefined;
    const reason = closedBecause(`the handler of ${owner.feature}`, failure);
    return { stop: true, reason, by: attribute(owner) };
  }

  #change(owner: EventSubscription<E>, next: PayloadOf<E>): void {
    const { delegate: _, ...changed } = next;
    this.#current = changed as PayloadOf<E>;
    this.#told = this.#toldOf(this.#current);
    this.#changedBy.push(attribute(owner));
    this.#steps = [...(this.#steps ?? []), this.#current];
  }

  #guard(handler: HandlerOf<E, "gate">, { at, owner, given }: Visit<E>): Visited | Promise<Visited> {
    const { asking, fence, subscriptions } = this.#facts;
    const { feature } = owner;
    let failure: unknown;
    const answer = asking.ask({
      among: subscriptions,
      at,
      owner,
      onError: (error) => {
        failure = error;
        if (!(error instanceof Aborted)) this.#report(feature, error); // whoever ended what it was asked for knows
      },
      run: (context) => handler.run(given, context),
      accept: acceptDecision,
    });
    const settle = (decision: GateDecision | undefined | typeof FAILED): Visited => {
      const policy = gatePolicy(owner.onFailure, handler.onFailure ?? fence.onGateFailure);
      const stop = decision === FAILED ? failedGate(policy, feature, failure) : decision;
      return stop?.stop ? { ...stop, by: attribute(owner) } : undefined;
    };
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  }

  #report(feature: string, error: unknown): void {
    const { event, fence } = this.#facts;
    if (error instanceof NotRunning || (error instanceof NotAsked && error.isTold)) return;
    fence.onFault({
      kind: faultKindOf(error, "handler"),
      owner: feature,
      message: `${feature} failed at ${event}: ${describeError(error)}`,
      cause: error,
    });
  }

  #toldOf(what: PayloadOf<E>): PayloadOf<E> {
    const { delegate } = this.#facts;
    return delegate === undefined ? what : { ...what, delegate };
  }
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
