"""The answer to `describe`: what an addon recorded, as data."""

from typing import TYPE_CHECKING, Any, List, cast

from .._protocol import PROTOCOL_VERSION
from ..contract import AddonCommand, EventSubscription, GateHandler, RegisteredManifest
from ..loader import LoadedManifest

if TYPE_CHECKING:
    from .._messages import Capability, CommandCard, HandlerCard, Registration, TaskCard, ToolCard


def registration_of(recorded: RegisteredManifest, module: LoadedManifest) -> "Registration":
    """The registration. The places in its lists are the places in `recorded`."""
    answer: "Registration" = {
        "protocol": PROTOCOL_VERSION,
        "handlers": [_handler(each) for each in recorded.subscriptions],
        "interceptors": [
            {"match": each.match, "enter": each.enter is not None, "exit": each.exit is not None}
            for each in recorded.interceptors
        ],
        "commands": [_command(each) for each in recorded.commands],
        "tools": [_tool(each) for each in recorded.tools],
        "tasks": [_task(each) for each in recorded.tasks],
    }
    if module.id is not None:
        answer["id"] = module.id
    if module.version is not None:
        answer["version"] = module.version
    if module.on_failure is not None:
        answer["onFailure"] = module.on_failure
    return answer


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
