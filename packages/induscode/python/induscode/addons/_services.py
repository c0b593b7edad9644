"""The services of the host that are one request each.

Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.
"""

from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from .host_services import HostPort


class PlainServices:
    """In a plain function a call waits and returns the value; in an `async def` it returns an awaitable."""

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

    def work_item_list(self, status: Optional[Any] = None) -> Any:
        """The work items of this folder. Needs the grant work_items with read."""
        return self._port.call("workItemList", _given({"status": status}), lambda result: result["items"])

    def work_item_changes(self, after: Optional[int] = None) -> Any:
        """What was done to the work items after a step, oldest first, at most 200 steps;
        without a step, what the last one did. Needs the grant work_items with read."""
        return self._port.call("workItemChanges", _given({"after": after}), lambda result: result["changes"])

    def work_item_create(self, title: str, brief: Optional[str] = None, priority: Optional[Any] = None, deps: Optional[Any] = None) -> Any:
        """Creates a work item and returns its id. Needs the grant work_items with write."""
        return self._port.call("workItemCreate", _given({"title": title, "brief": brief, "priority": priority, "deps": deps}), lambda result: result["id"])

    def work_item_comment(self, id: str, text: str) -> Any:
        """Adds a comment to a work item. Needs the grant work_items with write."""
        return self._port.call("workItemComment", {"id": id, "text": text}, _nothing)

    def work_item_move(self, id: str, to: Any, reason: Optional[str] = None) -> Any:
        """Sets the status of a work item. Needs the grant work_items with write."""
        return self._port.call("workItemMove", _given({"id": id, "to": to, "reason": reason}), _nothing)

    def work_item_depend(self, id: str, on: Any) -> Any:
        """Makes a work item depend on others; a cycle is refused. Needs the grant work_items
        with write."""
        return self._port.call("workItemDepend", {"id": id, "on": on}, _nothing)

    def memory_search(self, words: Optional[str] = None, scope: Optional[Any] = None) -> Any:
        """The last 50 entries of the memory that contain each of the words; without words, the
        last 50 of all. Needs the grant memory with read."""
        return self._port.call("memorySearch", _given({"words": words, "scope": scope}), lambda result: result["entries"])

    def memory_add(self, text: str, scope: Optional[Any] = None) -> Any:
        """Remembers one line, under the addon's name; the person is notified. Needs the grant
        memory with write."""
        return self._port.call("memoryAdd", _given({"text": text, "scope": scope}), _nothing)

    def memory_replace(self, old: str, text: str, scope: Optional[Any] = None) -> Any:
        """Replaces a whole entry with a line, or removes it if the text is empty; the person is
        notified. Needs the grant memory with write."""
        return self._port.call("memoryReplace", _given({"old": old, "text": text, "scope": scope}), _nothing)

    def session_spawn(self, agent: str, objective: str, context: Optional[str] = None, limits: Optional[Any] = None, outlives: Optional[bool] = None) -> Any:
        """Starts a session that works in the background, and returns its id. Needs the grant
        sessions with spawn."""
        return self._port.call("sessionSpawn", _given({"agent": agent, "objective": objective, "context": context, "limits": limits, "outlives": outlives}), lambda result: result["id"])

    def session_list(self) -> Any:
        """The addon's own sessions. Needs the grant sessions with spawn."""
        return self._port.call("sessionList", {}, lambda result: result["sessions"])

    def session_wait(self, id: str) -> Any:
        """Waits until a session of the addon has ended, and returns how. Needs the grant
        sessions with spawn."""
        return self._port.call("sessionWait", {"id": id}, lambda result: result["session"])

    def session_stop(self, id: str) -> Any:
        """Stops a running session of the addon. Needs the grant sessions with spawn."""
        return self._port.call("sessionStop", {"id": id}, _nothing)

    def session_message(self, id: str, text: str) -> Any:
        """Sends a message to a running session of the addon, which reads it at its next model
        call. Needs the grant sessions with message."""
        return self._port.call("sessionMessage", {"id": id, "text": text}, _nothing)

    def session_restore(self, id: str, text: str) -> Any:
        """Continues an ended session of the addon with this message. Needs the grant sessions
        with restore."""
        return self._port.call("sessionRestore", {"id": id, "text": text}, _nothing)


def _nothing(_result: Mapping[str, Any]) -> None:
    return None


def _given(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in params.items() if value is not None}
