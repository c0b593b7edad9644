"""What the host does for an addon besides the handles (an addition to the seed). The host decides by the grants."""

from dataclasses import dataclass
from typing import Any, Callable, Literal, Mapping, Optional, Protocol

from . import _protocol as protocol
from ._services import PlainServices
from .contract import ExecOutcome, FrameworkHandles
from .ui import AddonUi

RefusalKind = Literal["denied", "unavailable", "limit", "failed", "cancelled", "params"]


class HostRefused(Exception):
    """The host did not do it. `kind`: the grant is missing (`denied`), this session has it not (`unavailable`), it was
    too much (`limit`), it was tried and failed (`failed`), the call is over (`cancelled`), it was asked wrongly
    (`params`)."""

    def __init__(self, kind: RefusalKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class HostPort(Protocol):
    """The way to the host. A test of an addon may bring its own."""

    def call(self, method: str, params: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Any]) -> Any:
        """Asks, and answers `read(result)`: at once in a plain function, as an awaitable in an `async def`. Raises
        HostRefused."""

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tells, without an answer."""

    def cwd(self) -> str:
        """The working folder of the running call, else the workspace."""

    def cancelled(self) -> bool:
        """Whether the running call was cancelled."""


@dataclass(frozen=True)
class FetchResult:
    """An HTTP answer. The names of `headers` are in small letters."""

    status: int
    headers: Mapping[str, str]
    text: str


class HostServices(PlainServices):
    """`surface.host`. In a plain function a call waits and answers the value; in an `async def` it answers an
    awaitable. A refusal raises HostRefused."""

    def __init__(self, port: Optional[HostPort] = None) -> None:
        self._port: HostPort = _NoHost() if port is None else port

    @property
    def ui(self) -> AddonUi:
        """The same as `surface.ui`."""
        return AddonUi(self._port)

    @property
    def cwd(self) -> str:
        """The working folder of the running call, else the workspace."""
        return self._port.cwd()

    @property
    def cancelled(self) -> bool:
        """Whether the running call was cancelled: a long plain function should check and return."""
        return self._port.cancelled()

    def log(self, text: str) -> None:
        """A line for the addon's log file. Needs no grant."""
        self._port.notify(protocol.METHOD_LOG, {"text": text})

    def diagnostic(self, severity: Literal["info", "warning", "error"], text: str) -> None:
        """A line of the addon's report, shown by `indus addons`. Needs no grant."""
        self._port.notify(protocol.METHOD_DIAGNOSTIC, {"severity": severity, "text": text})

    def fetch(
        self,
        url: str,
        method: str = "GET",
        headers: Optional[Mapping[str, str]] = None,
        body: Optional[str] = None,
    ) -> Any:
        """One HTTP request, made by the host; answers a FetchResult. Needs the grant `network` for its hosts."""
        params = {"url": url, "method": method, "headers": headers, "body": body}
        return self._port.call(
            protocol.METHOD_FETCH,
            {key: value for key, value in params.items() if value is not None},
            lambda result: FetchResult(result["status"], result["headers"], result["text"]),
        )


def create_handles(port: HostPort) -> FrameworkHandles:
    """The handles that act through a port. There is no `render`: shapes are shown by `surface.ui`."""

    def exec(command: str, args: Any = ()) -> Any:
        params = {"command": command, "args": list(args)} if args else {"command": command}
        return port.call(
            protocol.METHOD_EXEC, params, lambda result: ExecOutcome(result["stdout"], result["stderr"], result["code"])
        )

    return FrameworkHandles(
        send_message=lambda text: port.call(protocol.METHOD_SEND_MESSAGE, {"text": text}, _nothing),
        set_model=lambda name: port.call(protocol.METHOD_SET_MODEL, {"name": name}, _nothing),
        set_thinking=lambda level: port.call(protocol.METHOD_SET_THINKING, {"level": level}, _nothing),
        exec=exec,
    )


def _nothing(_result: Mapping[str, Any]) -> None:
    return None


class _NoHost:
    def call(self, method: str, params: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Any]) -> Any:
        raise _unconnected(method)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        raise _unconnected(method)

    def cwd(self) -> str:
        raise _unconnected("cwd")

    def cancelled(self) -> bool:
        return False


def _unconnected(what: str) -> HostRefused:
    return HostRefused("unavailable", f"{what}: no host is connected; to test with one, pass HostServices a HostPort")
