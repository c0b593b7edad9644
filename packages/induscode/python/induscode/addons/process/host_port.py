"""The way from the addon to the host: requests over the pipe, waited for as the calling code can wait."""

import itertools
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from .._protocol import (
    ERROR_CANCELLED,
    ERROR_DENIED,
    ERROR_LIMIT,
    ERROR_PARAMS,
    ERROR_UNAVAILABLE,
    METHOD_CANCEL,
)
from ..host_services import HostRefused, RefusalKind
from .event_loop import EventLoop
from .lane import Lane
from .request import CURRENT
from .wire import RpcProblem

_KINDS: Mapping[int, RefusalKind] = {
    ERROR_DENIED: "denied",
    ERROR_UNAVAILABLE: "unavailable",
    ERROR_LIMIT: "limit",
    ERROR_CANCELLED: "cancelled",
    ERROR_PARAMS: "params",
}


class PipeHost:
    """A HostPort. On the loop's thread a call answers a future; elsewhere it waits, and a lane works on meanwhile."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None], loop: EventLoop, lanes: Sequence[Lane]) -> None:
        self.workspace = ""
        self._send = send
        self._loop = loop
        self._lanes = lanes
        self._numbers = itertools.count(1)
        self._asked: Dict[int, _Asked] = {}

    def call(self, method: str, params: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Any]) -> Any:
        """Asks the host; see HostPort."""
        number = next(self._numbers)
        asked = _Asked(read)
        if self._loop.is_current():
            asked.future = self._loop.future()
            asked.future.add_done_callback(lambda future: self._give_up(number) if future.cancelled() else None)
        else:
            asked.lane = next((lane for lane in self._lanes if lane.is_current()), None)
        self._asked[number] = asked
        try:
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        except RpcProblem as problem:
            del self._asked[number]
            raise HostRefused("params", f"{method}: {problem.message}") from problem
        return asked.future if asked.future is not None else self._wait(number, asked)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tells the host; see HostPort."""
        try:
            self._send({"jsonrpc": "2.0", "method": method, "params": params})
        except RpcProblem as problem:
            raise HostRefused("params", f"{method}: {problem.message}") from problem

    def cwd(self) -> str:
        """See HostPort."""
        request = CURRENT.get()
        cwd = None if request is None else request.params.get("cwd")
        return cwd if isinstance(cwd, str) else self.workspace

    def cancelled(self) -> bool:
        """See HostPort."""
        request = CURRENT.get()
        return request is not None and request.is_over()

    def receive(self, number: Any, result: Any, error: Any) -> bool:
        """Takes the host's answer; False where nothing was asked under this number."""
        asked = self._asked.pop(number, None) if type(number) is int else None
        if asked is None:
            return False
        if isinstance(error, dict):
            kind = _KINDS.get(error.get("code", 0), "failed")
            self._settle(asked, None, HostRefused(kind, str(error.get("message", "no reason given"))))
        else:
            self._settle(asked, result if isinstance(result, dict) else {}, None)
        return True

    def _wait(self, number: int, asked: "_Asked") -> Any:
        request = CURRENT.get()

        def interrupt() -> None:
            if not asked.done:
                self._settle(asked, None, HostRefused("cancelled", "nobody waits for this call any more"))
                self._give_up(number)

        if request is not None:
            request.interrupts.append(interrupt)
            # It may have been cancelled just before it could be interrupted.
            if self.cancelled():
                interrupt()
        try:
            if asked.lane is not None:
                asked.lane.wait_for(asked)
            else:
                asked.wake.wait()
        finally:
            if request is not None:
                request.interrupts.remove(interrupt)
        if asked.refused is not None:
            raise asked.refused
        if asked.result is None:
            raise HostRefused("unavailable", "the session has ended")
        return asked.read(asked.result)

    def _give_up(self, number: int) -> None:
        self.notify(METHOD_CANCEL, {"id": number})

    def _settle(self, asked: "_Asked", result: Optional[Mapping[str, Any]], refused: Optional[HostRefused]) -> None:
        if asked.done:
            return
        asked.result, asked.refused = result, refused
        asked.done = True
        if asked.future is not None:
            self._loop.soon(_resolve, asked)
        elif asked.lane is not None:
            asked.lane.wake()
        else:
            asked.wake.set()


class _Asked:
    def __init__(self, read: Callable[[Mapping[str, Any]], Any]) -> None:
        self.read = read
        self.done = False
        self.result: Optional[Mapping[str, Any]] = None
        self.refused: Optional[HostRefused] = None
        self.future: Any = None
        self.lane: Optional[Lane] = None
        self.wake = threading.Event()


def _resolve(asked: _Asked) -> None:
    if asked.future.done():  # Its task was cancelled meanwhile.
        return
    if asked.refused is not None:
        asked.future.set_exception(asked.refused)
        return
    try:
        asked.future.set_result(asked.read(asked.result or {}))
    except (KeyError, TypeError) as error:
        asked.future.set_exception(HostRefused("failed", f"the host's answer lacks {error}"))
