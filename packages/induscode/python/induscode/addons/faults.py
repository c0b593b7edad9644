"""The fault stream: listeners, and a fan-out that no listener can stop."""

import traceback
from typing import Any, Callable, Dict

from .contract import AddonFault, AddonFaultListener


class FaultStream:
    """Hands each fault to every listener."""

    def __init__(self) -> None:
        self._listeners: Dict[object, AddonFaultListener] = {}

    def on_fault(self, listener: AddonFaultListener) -> Callable[[], None]:
        """Adds a listener; returns a function that removes it."""
        token = object()
        self._listeners[token] = listener

        def unsubscribe() -> None:
            self._listeners.pop(token, None)

        return unsubscribe

    def report(self, fault: AddonFault) -> None:
        """Tells the listeners. One that raises is reported on stderr, and the next one is called."""
        for listener in list(self._listeners.values()):
            try:
                listener(fault)
            except Exception:  # A fence: listeners are foreign code.
                traceback.print_exc()


def describe(error: BaseException) -> str:
    """`ValueError: what it says`."""
    text: Any = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
