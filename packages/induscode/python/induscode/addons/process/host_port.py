"""The way from the addon to the host: requests over the pipe, waited for as the calling code can wait."""

import itertools
import sys
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from .._protocol import (
    ERROR_CANCELLED,
    ERROR_DENIED,
    ERROR_LIMIT,
    ERROR_METHOD,
    ERROR_PARAMS,
    ERROR_REQUEST,
    ERROR_UNAVAILABLE,
    METHOD_CANCEL,
)
from ..host_services import HostRefused, RefusalKind
from .lane import Lane
from .request import CURRENT
from .wire import RpcProblem

_KINDS: Mapping[int, RefusalKind] = {
    ERROR_DENIED: "denied",
    ERROR_UNAVAILABLE: "unavailable",
    ERROR_LIMIT: "limit",
    ERROR_CANCELLED: "cancelled",
    ERROR_PARAMS: "params",
    ERROR_METHOD: "params",
    ERROR_REQUEST: "params",
}


class PipeHost:
    """A HostPort. In `async` code a call answers a future; elsewhere it waits, and a lane works on meanwhile."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None], lanes: Sequence[Lane]) -> None:
        self.workspace = ""
        self._send = send
        self._lanes = lanes
        self._numbers = itertools.count(1)
        self._asked: Dict[int, _Asked] = {}

    def call(self, method: str, params: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Any]) -> Any:
        """Asks the host; see HostPort."""
        number = next(self._numbers)
        asked = _Asked(read, _running_loop())
        if asked.loop is not None:
            asked.future = asked.loop.create_future()
            asked.future.add_done_callback(lambda future: self._give_up(number) if future.cancelled() else None)
        else:
            asked.lane = next((lane for lane in self._lanes if lane.is_current()), None)
        self._asked[number] = asked
        try:
            self._send({"jsonrpc": "2.0", "id": number, "method": method, **_during(), "params": params})
        except RpcProblem as problem:
            del self._asked[number]
            raise _unsendable(method, problem) from problem
        return asked.future if asked.future is not None else self._wait(number, asked)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tells the host; see HostPort."""
        try:
            self._send({"jsonrpc": "2.0", "method": method, "params": params})
        except RpcProblem as problem:
            raise _unsendable(method, problem) from problem

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
                self._settle(asked, None, HostRefused("cancelled", "nothing waits for this call any longer"))
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
        if asked.loop is not None:
            try:
                asked.loop.call_soon_threadsafe(_resolve, asked)
            except RuntimeError:  # The addon has closed that loop: nobody waits there.
                return
        elif asked.lane is not None:
            asked.lane.wake()
        else:
            asked.wake.set()


class _Asked:
    def __init__(self, read: Callable[[Mapping[str, Any]], Any], loop: Any) -> None:
        self.read = read
        self.loop = loop
        self.done = False
        self.result: Optional[Mapping[str, Any]] = None
        self.refused: Optional[HostRefused] = None
        self.future: Any = None
        self.lane: Optional[Lane] = None
        self.wake = threading.Event()


def _during() -> Mapping[str, Any]:
    """The request of the host that the calling code works for, where there is one."""
    request = CURRENT.get()
    return {} if request is None else {"during": request.id}


def _running_loop() -> Any:
    """The loop that runs the calling code: ours, or one that the addon runs itself."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:  # Importing it costs much, and without it no loop can run.
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _unsendable(method: str, problem: RpcProblem) -> HostRefused:
    return HostRefused(_KINDS.get(problem.code, "params"), f"{method}: {problem.message}")


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
