"""A running task: its events for whoever iterates, in a loop or an asynchronous one."""

import asyncio
import queue
import threading
from typing import AsyncIterator, Callable, Iterator, Optional

from .events import Event, Result


class Task:
    """Iterates over the events once, the result last. To leave the loop is to interrupt the task."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self.ended = threading.Event()
        """There is a result, whether or not somebody has taken it."""
        self._events: "queue.SimpleQueue[Event]" = queue.SimpleQueue()
        self._wake: Optional[Callable[[], None]] = None
        self._result: Optional[Result] = None

    def tell(self, event: Event) -> None:
        """For whoever runs it, from any thread."""
        self._events.put(event)
        if isinstance(event, Result):
            self.ended.set()
        wake = self._wake
        if wake is not None:
            wake()

    def result(self) -> Result:
        """Waits for the end. Events that nobody iterated over are dropped."""
        while self._result is None:
            self._take(self._events.get())
        return self._result

    def __iter__(self) -> Iterator[Event]:
        try:
            while self._result is None:
                yield self._take(self._events.get())
        finally:
            self._leave()

    async def __aiter__(self) -> AsyncIterator[Event]:
        loop = asyncio.get_running_loop()
        there = asyncio.Event()
        self._wake = lambda: _call_in(loop, there.set)
        try:
            while self._result is None:
                there.clear()
                try:
                    event = self._events.get_nowait()
                except queue.Empty:
                    await there.wait()
                else:
                    yield self._take(event)
        finally:
            self._wake = None
            self._leave()

    def _take(self, event: Event) -> Event:
        if isinstance(event, Result):
            self._result = event
        return event

    def _leave(self) -> None:
        if self._result is None:
            self._interrupt()


def _call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
