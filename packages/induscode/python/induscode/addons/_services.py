"""The services of the host that are one request each.

Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.
"""

from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    from .host_services import HostPort


class PlainServices:
    """In a plain function a call waits and answers the value; in an `async def` it answers an awaitable."""

    _port: "HostPort"

    def alert(self, text: str) -> Any:
        """A short line for the person, never for the model. Needs the grant alert."""
        return self._port.call("alert", {"text": text}, _nothing)

    def notify(self, text: str) -> Any:
        """A notice that the model reads at its next call, labelled with its origin. Needs the
        grant model_notification."""
        return self._port.call("notify", {"text": text}, _nothing)

    def read_file(self, path: str) -> Any:
        """Reads a text file of the workspace. Needs the grant files with read."""
        return self._port.call("readFile", {"path": path}, lambda result: result["text"])

    def write_file(self, path: str, text: str) -> Any:
        """Writes a text file of the workspace, whole or not at all. Needs the grant files with
        write."""
        return self._port.call("writeFile", {"path": path, "text": text}, _nothing)

    def secret(self, id: str) -> Any:
        """The value of a secret. Needs the grant secret with this id."""
        return self._port.call("secret", {"id": id}, lambda result: result["value"])


def _nothing(_result: Mapping[str, Any]) -> None:
    return None
