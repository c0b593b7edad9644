"""The answer to `describe`: what an addon recorded, as data."""

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, List, Sequence, cast

from .._protocol import ERROR_LIMIT, PROTOCOL_VERSION
from ..contract import AddonCommand, EventSubscription, GateHandler, RegisteredManifest
from ..loader import LoadedManifest
from ..surface import Kind
from .wire import MAX_FRAME_BYTES, MAX_VALUES, RpcProblem, depth_of, encode

if TYPE_CHECKING:
    from .._messages import Capability, CommandCard, HandlerCard, Registration, SkippedCard, TaskCard, ToolCard

MAX_CARD_DEPTH = 190
"""A message may have 200 levels, with those around a card."""


def registration_of(
    recorded: RegisteredManifest, module: LoadedManifest, unfit: "Sequence[SkippedCard]" = ()
) -> "Registration":
    """The registration; `unfit` is what could not be recorded. The places of handlers and interceptors are their places in
    `recorded`. What cannot be sent, or would make the whole too large to send, costs that one thing."""
    skipped = list(unfit)
    room = _Room(MAX_FRAME_BYTES * 3 // 8, MAX_VALUES * 3 // 8)

    def sendable(kind: Kind, name: str, make: Callable[[], Any]) -> List[Any]:
        try:
            card = make()
            room.take(card)
            return [card]
        except RpcProblem as problem:
            reason = f"it cannot be sent: {problem.message}"
        except Exception as error:  # A fence: properties and mappings of an addon are foreign code.
            reason = f"it cannot be sent: {type(error).__name__}: {error}"
        skipped.append(skipped_card(kind, name, reason))
        return []

    answer: "Registration" = {
        "protocol": PROTOCOL_VERSION,
        "handlers": [_handler(each) for each in recorded.subscriptions],
        "interceptors": [
            {"match": each.match, "enter": each.enter is not None, "exit": each.exit is not None}
            for each in recorded.interceptors
        ],
        "commands": [
            card for each in recorded.commands for card in sendable("command", each.name, partial(_command, each))
        ],
        "tools": [card for each in recorded.tools for card in sendable("tool", each.name, partial(_tool, each))],
        "tasks": [card for each in recorded.tasks for card in sendable("task", each.id, partial(_task, each))],
    }
    if module.id is not None:
        answer["id"] = module.id
    if module.version is not None:
        answer["version"] = module.version
    if module.on_failure is not None:
        answer["onFailure"] = module.on_failure
    if skipped:
        answer["skipped"] = skipped
    return answer


def skipped_card(kind: Kind, name: str, reason: str) -> "SkippedCard":
    """What is left out, in words short enough for the host."""
    return {"kind": kind, "name": name[:100], "reason": reason[:1000]}


class _Room:
    """How much may still be sent."""

    def __init__(self, bytes: int, values: int) -> None:
        self._bytes = bytes
        self._values = values

    def take(self, card: Any) -> None:
        """Makes room for a card. Raises RpcProblem for one that cannot be sent."""
        line = encode(card)
        if depth_of(card, MAX_CARD_DEPTH) > MAX_CARD_DEPTH:
            raise RpcProblem(ERROR_LIMIT, f"it is nested more than {MAX_CARD_DEPTH} levels deep")
        values = line.count(b",") + line.count(b"{") + line.count(b"[")
        if len(line) > self._bytes or values > self._values:
            raise RpcProblem(ERROR_LIMIT, "with it, what the addon registers would be too large for one message")
        self._bytes -= len(line)
        self._values -= values


def _tool(each: Any) -> "ToolCard":
    card: "ToolCard" = {"name": each.name, "description": each.description, "parameters": dict(each.parameters)}
    needs = _needs(each)
    if needs:
        card["requiredCapabilities"] = needs
    return card


def _task(each: Any) -> "TaskCard":
    card: "TaskCard" = {
        "id": each.id,
        "description": each.description,
        "activation": each.activation,
        "restart": each.restart,
        "graceMs": each.grace_ms,
    }
    needs = _needs(each)
    if needs:
        card["requiredCapabilities"] = needs
    return card


def _needs(each: Any) -> "List[Capability]":
    return [cast("Capability", dict(need)) for need in getattr(each, "required_capabilities", ())]


def _handler(each: EventSubscription) -> "HandlerCard":
    card: "HandlerCard" = {"event": each.event, "kind": each.handler.kind}
    if isinstance(each.handler, GateHandler) and each.handler.on_failure is not None:
        card["onFailure"] = each.handler.on_failure
    return card


def _command(each: AddonCommand) -> "CommandCard":
    card: "CommandCard" = {"name": each.name, "summary": each.summary}
    if each.argument_hint is not None:
        card["argumentHint"] = each.argument_hint
    return card
