"""The answer to `describe`: what an addon recorded, as data."""

from typing import Any, Dict, Optional

from .._protocol import PROTOCOL_VERSION
from ..contract import GateHandler, RegisteredManifest


def registration_of(recorded: RegisteredManifest, id: Optional[str], version: Optional[str]) -> Dict[str, Any]:
    """The registration. The places in its lists are the places in `recorded`."""
    answer: Dict[str, Any] = {
        "protocol": PROTOCOL_VERSION,
        "handlers": [_handler(each.event, each.handler) for each in recorded.subscriptions],
        "interceptors": [
            {"match": each.match, "enter": each.enter is not None, "exit": each.exit is not None}
            for each in recorded.interceptors
        ],
        "commands": [
            _without_none(name=each.name, summary=each.summary, argumentHint=each.argument_hint)
            for each in recorded.commands
        ],
        "tools": [
            {"name": each.name, "description": each.description, "parameters": dict(each.parameters)}
            for each in recorded.tools
        ],
        "tasks": [
            {
                "id": each.id,
                "description": each.description,
                "activation": each.activation,
                "restart": each.restart,
                "graceMs": each.grace_ms,
            }
            for each in recorded.tasks
        ],
    }
    answer.update(_without_none(id=id, version=version))
    return answer


def _handler(event: str, handler: Any) -> Dict[str, Any]:
    on_failure = handler.on_failure if isinstance(handler, GateHandler) else None
    return _without_none(event=event, kind=handler.kind, onFailure=on_failure)


def _without_none(**values: Any) -> Dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
