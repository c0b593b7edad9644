"""Reads what handlers and stages return: the typed shapes, and plain mappings with the same keys."""

from typing import Any, Mapping, Optional, Union

from ..contract import ArgsRewrite, GateDecision


def read_decision(value: Any) -> Optional[GateDecision]:
    """A gate's return as a decision. Raises TypeError for what is no decision, no mapping with `stop`, and not None."""
    if value is None or isinstance(value, GateDecision):
        return value
    if isinstance(value, Mapping) and value.get("stop", value.get("reason")) is None:
        return None
    if isinstance(value, Mapping) and "stop" in value:
        reason = value.get("reason")
        return GateDecision(bool(value["stop"]), None if reason is None else str(reason))
    raise TypeError(f'expected a GateDecision, a mapping with "stop" or None, found {type(value).__name__}')


def read_enter(value: Any) -> Union[ArgsRewrite, GateDecision, None]:
    """An enter stage's return; raises TypeError for what is none. A mapping's `stop` goes before its `args`."""
    if isinstance(value, ArgsRewrite):
        return None if value.args is None else value
    if value is None or isinstance(value, GateDecision):
        return value
    if isinstance(value, Mapping):
        if value.get("stop"):
            return read_decision(value)
        if value.get("args") is not None:
            return ArgsRewrite(value["args"])
        if "stop" in value or "args" in value:
            return None
    found = type(value).__name__
    raise TypeError(f'expected an ArgsRewrite, a GateDecision, a mapping with "args" or "stop", or None, found {found}')
