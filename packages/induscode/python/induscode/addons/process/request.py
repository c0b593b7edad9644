"""One request of the host, from its line to its answer, and which one the running code belongs to."""

import threading
from contextvars import ContextVar
from typing import Any, Callable, List, Mapping, Optional, Union

RequestId = Union[int, str]


class Request:
    """What is known of a request. The reader interrupts it; a lane, a thread or the loop answers it."""

    __slots__ = ("id", "method", "params", "line", "cancelled", "answered", "interrupts", "stop")

    def __init__(self, id: RequestId, method: str, params: Mapping[str, Any], line: bytes) -> None:
        self.id = id
        self.method = method
        self.params = params
        self.line = line
        self.cancelled = False
        self.answered = False
        # Each ends something that it waits in: a task of the loop, or a plain function's call to the host.
        self.interrupts: List[Callable[[], None]] = []
        # Of a background task only.
        self.stop: Optional[threading.Event] = None

    def is_over(self) -> bool:
        """Whether nobody waits for it any more, or the task should end."""
        return self.cancelled or (self.stop is not None and self.stop.is_set())

    def interrupted(self) -> None:
        """Wakes it, so that it ends soon."""
        if self.stop is not None:
            self.stop.set()
        for interrupt in list(self.interrupts):
            interrupt()


class RunningTask:
    """The TaskContext of a running task."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    @property
    def stopped(self) -> bool:
        """Whether the task should end."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleeps, at most until the task should end; answers whether it should."""
        return self._stop.wait(seconds)


CURRENT: "ContextVar[Optional[Request]]" = ContextVar("indus_request", default=None)
"""The request that the running code works for; None in threads that the addon itself started."""
