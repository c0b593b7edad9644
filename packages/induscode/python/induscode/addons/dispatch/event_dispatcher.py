"""One fan-out, transform and veto engine over the event table. Handlers run in the order of their subscription."""

import copy
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Mapping

from .._protocol import EVENTS
from ..awaiting import settle
from ..contract import (
    AddonFaultListener,
    AddonId,
    DispatchOutcome,
    EventSubscription,
    GateDecision,
    GateHandler,
    HookEvent,
    HookHandler,
    addon_fault,
)
from ..faults import FaultStream, describe
from .outcomes import read_decision


@dataclass(frozen=True)
class EventTrait:
    """One row of the event table. `guards`: a gate's stop is acted on; elsewhere it is only reported."""

    guards: bool


EVENT_TRAITS: Mapping[HookEvent, EventTrait] = MappingProxyType(
    {event: EventTrait(guards) for event, guards in EVENTS.items()}  # type: ignore[misc]
)
"""Every event and its row; the rows come from the protocol's schema."""

RESERVED_EVENTS: FrozenSet[HookEvent] = frozenset(event for event, trait in EVENT_TRAITS.items() if trait.guards)
"""The events at which a gate's stop is acted on, derived from the table."""


def subscription(addon: AddonId, event: HookEvent, handler: HookHandler) -> EventSubscription:
    """Makes a subscription."""
    return EventSubscription(addon, event, handler)


class AddonEventDispatcher:
    """Dispatches events to subscriptions. Never raises for a handler's sake: a failing one is a `handler` fault."""

    def __init__(self, subscriptions: Iterable[EventSubscription] = ()) -> None:
        self._by_event: Dict[str, List[EventSubscription]] = {}
        self._faults = FaultStream()
        for each in subscriptions:
            self._by_event.setdefault(each.event, []).append(each)

    @classmethod
    def from_subscriptions(cls, subscriptions: Iterable[EventSubscription]) -> "AddonEventDispatcher":
        """A dispatcher over these, in this order."""
        return cls(subscriptions)

    @property
    def reserved(self) -> FrozenSet[HookEvent]:
        """RESERVED_EVENTS."""
        return RESERVED_EVENTS

    def on_fault(self, listener: AddonFaultListener) -> Callable[[], None]:
        """Adds a fault listener; answers its idempotent unsubscribe."""
        return self._faults.on_fault(listener)

    async def dispatch(self, event: HookEvent, payload: Any) -> DispatchOutcome:
        """Walks the handlers. The first stop ends the walk, whatever the event; acting on it is the caller's."""
        for each in self._by_event.get(event, ()):
            handler = each.handler
            try:
                if handler.kind == "transform":
                    replacement = await settle(handler.run(payload))
                    payload = payload if replacement is None else replacement
                elif handler.kind == "observe":
                    await settle(handler.run(_copy(payload)))
                else:
                    decision = read_decision(await settle(handler.run(_copy(payload))))
                    if decision is not None and decision.stop:
                        return DispatchOutcome(payload, decision)
            except Exception as error:  # A fence: handlers are foreign code.
                self._faults.report(
                    addon_fault("handler", f"{each.addon} failed at {event}: {describe(error)}", each.addon, error)
                )
                if isinstance(handler, GateHandler) and handler.on_failure == "block":
                    reason = f"the gate of {each.addon} failed, and it blocks on failure"
                    return DispatchOutcome(payload, GateDecision(True, reason))
        return DispatchOutcome(payload)


def _copy(payload: Any) -> Any:
    # Who may only look gets a copy to look at. In `indus` each handler has one, because the payload crosses a pipe.
    try:
        return copy.deepcopy(payload)
    except Exception:  # A payload of a test's own may hold what cannot be copied, such as a lock.
        return payload
