"""What a program says about its session, as the command line of its process."""

import difflib
import inspect
import json
import math
import os
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterable, List, Literal, Mapping, Optional, Sequence, get_args

from .events import Problem

Mode = Literal["read-only", "plan", "ask", "acceptEdits", "auto", "bypass"]
_MODES: Sequence[str] = get_args(Mode)


@dataclass(frozen=True)
class Question:
    """Asked when rules and mode leave a call undecided. `delegate` makes it, if not the session's own agent."""

    tool: str
    input: Any
    reason: str
    delegate: Optional[str] = None


@dataclass(frozen=True)
class Answer:
    """`session`: this call, and from now on the same without a question."""

    kind: Literal["once", "session", "no"]
    reason: str = ""


Ask = Callable[[Question], Answer]


def option_names(session: Callable[..., object]) -> Sequence[str]:
    """Those that a session takes, by its signature."""
    parameters = inspect.signature(session).parameters.values()
    return [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]


def refuse_unknown(names: Iterable[str], known: Sequence[str]) -> None:
    """Raises a Problem for the first: left out in silence, whatever it was meant to forbid would be done."""
    for name in names:
        snake = re.sub("([A-Z])", r"_\1", name).lower()
        near = difflib.get_close_matches(snake, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
        raise Problem(f"unknown option {name!r}: {hint}")


def command_line(
    *,
    command: Optional[Sequence[str]],
    model: Optional[str],
    mode: Optional[Mode],
    allow: Sequence[str],
    deny: Sequence[str],
    grant: Sequence[str],
    asks: bool,
    output_schema: Optional[Mapping[str, Any]],
    max_turns: Optional[int],
    max_cost: Optional[float],
    resume: Optional[str],
    pieces: bool,
) -> List[str]:
    """Raises a Problem for an option that cannot be meant."""
    for name, texts in (("allow", allow), ("deny", deny), ("grant", grant)):
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise Problem(f"{name} takes a list of texts; got {texts!r}")
    for rule in (*allow, *deny):
        _check_rule(rule)
    if mode is not None and mode not in _MODES:
        raise Problem(f"mode takes {', '.join(_MODES)}; got {mode!r}")
    if max_turns is not None and (not isinstance(max_turns, int) or max_turns < 1):
        raise Problem(f"max_turns takes a whole number above 0; got {max_turns!r}")
    if max_cost is not None and (not isinstance(max_cost, (int, float)) or not 0 < max_cost < math.inf):
        raise Problem(f"max_cost takes an amount in dollars above 0; got {max_cost!r}")
    if isinstance(command, str):
        raise Problem(f"command takes a list: a program and its arguments; got {command!r}")
    valued = {
        "model": model,
        "permission-mode": mode,
        "max-turns": max_turns,
        "max-budget-usd": max_cost,
        "json-schema": None if output_schema is None else json.dumps(output_schema),
        "resume": resume,
    }
    return [
        *(command or [_own_command()]),
        *("--input-format=stream-json", "--output-format=stream-json"),
        *(["--permission-prompt-tool=stdio"] if asks else []),
        *(["--include-partial-messages"] if pieces else []),
        *(f"--{name}={value}" for name, value in valued.items() if value is not None),
        *(f"--allowed-tools={rule}" for rule in allow),
        *(f"--disallowed-tools={rule}" for rule in deny),
        *(f"--grant={addon}" for addon in grant),
    ]


def _check_rule(rule: str) -> None:
    """On the line a blank, a comma and the first closing bracket end a rule."""
    if not re.fullmatch(r"[^\s,(]+(\([^)]*\))?", rule.strip()):
        raise Problem(f"{rule!r} is not a permission rule that can be passed to another process: tool or tool(pattern)")


def _own_command() -> str:
    """That of the package which this one came with; otherwise the one on PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.path.join(here, "..", "..", "bin", "indus")
    return os.path.normpath(own) if os.path.exists(own) else "indus"
