"""The console at which the person sits, each part by the grant `ui`. It all appears under the addon's name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from . import _protocol as protocol

if TYPE_CHECKING:
    from .host_services import HostPort


@dataclass(frozen=True)
class UiOffers:
    """What this session shows of the addon, as far as its grants reach."""

    status: bool
    render: bool
    ask: bool


class AddonUi:
    """`surface.ui`. In a plain function a call waits and returns the value; in an `async def` it returns an awaitable.

    Where there is no console (`-p`, `--json`, a delegate, no terminal) a call raises HostRefused of the kind
    `unavailable`.
    """

    def __init__(self, port: "HostPort") -> None:
        self._port = port

    def offers(self) -> Any:
        """A UiOffers. Without a console, or without a grant, its parts are False; nothing is raised for that."""
        return self._port.call(
            protocol.METHOD_UI_OFFERS,
            {},
            lambda result: UiOffers(result["status"], result["render"], result["ask"]),
        )

    def status(self, text: str, id: Optional[str] = None) -> Any:
        """A short text in the status line, replacing the previous one with this id; "" removes it."""
        return self._port.call(protocol.METHOD_UI_STATUS, _given(text=text, id=id), _nothing)

    def render(self, shape: Mapping[str, Any]) -> Any:
        """Shows a shape: a mapping with its `kind` (text, markdown, table, list, progress, keyValue) and its fields."""
        return self._port.call(protocol.METHOD_UI_RENDER, {"shape": dict(shape)}, _nothing)

    def select(self, question: str, choices: Sequence[str], timeout_ms: Optional[int] = None) -> Any:
        """One of the choices; None if the person dismissed the question, or did not answer in time."""
        params = _given(question=question, choices=list(choices), timeoutMs=timeout_ms)

        def read(result: Mapping[str, Any]) -> Optional[str]:
            return choices[result["choice"]] if "choice" in result else None

        return self._port.call(protocol.METHOD_UI_SELECT, params, read)

    def confirm(self, question: str, timeout_ms: Optional[int] = None) -> Any:
        """True or False; None if nobody answered."""
        params = _given(question=question, timeoutMs=timeout_ms)
        return self._port.call(protocol.METHOD_UI_CONFIRM, params, lambda result: result.get("isConfirmed"))

    def input(self, question: str, is_secret: Optional[bool] = None, timeout_ms: Optional[int] = None) -> Any:
        """A line, or None. With `is_secret` it is not shown while it is typed, and masked in what is shown later."""
        params = _given(question=question, isSecret=is_secret, timeoutMs=timeout_ms)
        return self._port.call(protocol.METHOD_UI_INPUT, params, lambda result: result.get("text"))


def _given(**params: Any) -> Mapping[str, Any]:
    return {key: value for key, value in params.items() if value is not None}


def _nothing(_result: Mapping[str, Any]) -> None:
    return None
