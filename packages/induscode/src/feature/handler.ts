// What a feature binds to an event, and how the session reaches it. No session, gateway or log object is ever handed out.

import type { SessionScope } from "indusagi/core";
import type { FailurePolicy, FeatureId, HostCapability } from "./descriptor.ts";
import type { CallTime } from "./dispatch/time-budget.ts";
import type { ChangeOf, HookEvent, PayloadOf } from "./events.ts";
import type { CallReach } from "./services.ts";

/** What every handler is handed besides its payload. */
export interface HandlerContext {
  /** Fires when the handler's deadline passes or the session stops waiting. */
  readonly signal: AbortSignal;
}

/** What a handler in the host process is handed: a built-in one, or one that calls an addon's process. */
export interface HostHandlerContext extends HandlerContext, CallReach {
  /** The session the event belongs to. */
  readonly session?: SessionScope;
  /**
   * Throws for a return value that the host would refuse. For a handler that answers on someone else's behalf, so that the
   * right one is blamed. Absent when nothing is returned.
   */
  readonly check?: (returned: unknown) => void;
}

export interface GateDecision {
  readonly stop: boolean;
  readonly reason?: string | undefined;
}

/** What every handler may say of itself. */
export interface HandlerTraits {
  /** Its payload goes to another process as a copy; without it, what it is handed is frozen. */
  readonly isRemote?: true;
  /** The one tool that it looks at, where it says so; only for telling that there is none. */
  readonly match?: string | undefined;
  /** The one argument of that tool that it looks at; for the same. */
  readonly matchArgument?: string | undefined;
}

/**
 * What a feature binds to an event. `observe` sees, and nobody waits for it; `transform` returns what it changes; `gate` may
 * stop. What any of them is handed is frozen. Nothing or null returned is not a change. A handler that throws, misses its
 * deadline or returns what does not fit is a `handler` fault and changes nothing; a gate then lets the thing pass, unless
 * it declares `onFailure: "block"`.
 */
export type HookHandler<E extends HookEvent = HookEvent, Context = HandlerContext> = HandlerTraits &
  (
    | {
        readonly kind: "observe";
        readonly run: (payload: PayloadOf<E>, context: Context) => void | Promise<void>;
      }
    | {
        readonly kind: "transform";
        readonly run: (
          payload: PayloadOf<E>,
          context: Context,
        ) => ChangeOf<PayloadOf<E>> | Promise<ChangeOf<PayloadOf<E>>>;
      }
    | {
        readonly kind: "gate";
        readonly onFailure?: FailurePolicy | undefined;
        readonly run: (
          payload: PayloadOf<E>,
          context: Context,
        ) => GateDecision | null | undefined | Promise<GateDecision | null | undefined>;
      }
  );

/** Who changed something; logged next to the change. */
export interface Attribution {
  readonly feature: string;
  readonly version?: string | undefined;
}

export interface DispatchOutcome<E extends HookEvent> {
  readonly payload: PayloadOf<E>;
  /** Who made changes, in order; compared by value. */
  readonly changedBy: readonly Attribution[];
  /** The payload after each of those changes; absent when nobody changed it. */
  readonly steps?: readonly PayloadOf<E>[];
  /** The first stop, at any event; the host acts on it only for the reserved ones. */
  readonly gate?: GateDecision & { readonly by: Attribution };
}

/** The session's view of the dispatcher. */
export interface HookDispatch {
  /** Whether any feature handles `event`, or handles it in this way. */
  readonly has: (event: HookEvent, kind?: HookHandler["kind"]) => boolean;
  /** Never rejects: a failing handler is a fault and changes nothing. */
  readonly dispatch: <E extends HookEvent>(
    event: E,
    payload: PayloadOf<E>,
    options: {
      readonly signal: AbortSignal;
      readonly delegate?: string | undefined;
      readonly time?: CallTime;
      /** The part of a payload a feature is shown; absent when every feature sees all of it. */
      readonly view?: ((feature: string, payload: PayloadOf<E>) => PayloadOf<E>) | undefined;
    },
  ) => Promise<DispatchOutcome<E>>;
  /** Resolves when no observer is running; one still running after its deadline is abandoned and reported as a fault. */
  readonly settled: () => Promise<void>;
}

/** One recorded handler, with its owner. */
export interface EventSubscription<E extends HookEvent = HookEvent> {
  readonly feature: FeatureId;
  readonly version?: string | undefined;
  readonly event: E;
  readonly handler: HookHandler<E, HostHandlerContext>;
  /** The feature's grants; absent means none. */
  readonly grants?: readonly HostCapability[];
  /** Applies to the whole feature. */
  readonly onFailure?: FailurePolicy | undefined;
  /** See {@link FeatureDescriptor.patienceMs}. */
  readonly patienceMs?: number | undefined;
}
