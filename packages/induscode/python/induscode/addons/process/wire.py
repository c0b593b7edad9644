"""Lines of the protocol: JSON-RPC 2.0, one message a line, in ASCII, so that no text can break a line or its encoding.
Limits are the host's defaults."""

import json
from typing import Any, List, Mapping, NoReturn, Optional

from .._protocol import ERROR_FAILED, ERROR_LIMIT, ERROR_PARSE

MAX_FRAME_BYTES = 8 * 1024 * 1024
"""The longest line."""

MAX_DEPTH = 200
"""The deepest nesting of a message."""

MAX_VALUES = 200_000
"""How many values a message may hold."""


class RpcProblem(Exception):
    """An error answer: its code, its message, and data for the host."""

    def __init__(self, code: int, message: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def decode(line: bytes) -> Any:
    """The value of a line. Raises RpcProblem `parse` for what is no JSON in UTF-8, or nested too deeply to read."""
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except ValueError as error:
        raise RpcProblem(ERROR_PARSE, f"expected one JSON message in UTF-8, found {_excerpt(line)}: {error}") from error
    except RecursionError as error:
        raise RpcProblem(ERROR_PARSE, f"expected a message at most {MAX_DEPTH} deep, found {_excerpt(line)}") from error


def encode(message: Mapping[str, Any]) -> bytes:
    """The line of a message. Raises RpcProblem `failed` for what JSON cannot represent, `limit` for what is too long or
    too deep: the host would cut the addon off for it."""
    try:
        text = _ENCODER.encode(message)
    except (TypeError, ValueError, RecursionError) as error:
        found = "one that is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RpcProblem(ERROR_FAILED, f"expected a value that JSON can represent, found: {found}") from error
    if len(text) >= MAX_FRAME_BYTES:
        raise RpcProblem(ERROR_LIMIT, f"expected a message of at most {MAX_FRAME_BYTES} bytes, found {len(text)}")
    # Counting is fast and almost always enough; only then is the structure walked.
    if text.count("{") + text.count("[") > MAX_DEPTH and depth_of(message, MAX_DEPTH) > MAX_DEPTH:
        raise RpcProblem(ERROR_LIMIT, f"expected a message at most {MAX_DEPTH} deep, found a deeper one")
    return text.encode("ascii") + b"\n"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _excerpt(line: bytes) -> str:
    return ascii(line[:60])[1:] + ("..." if len(line) > 60 else "")


def depth_of(value: Any, most: int) -> int:
    """How deeply a value is nested; counting stops above `most`."""
    level: List[Any] = [value]
    depth = 0
    while level:
        below = [
            each
            for part in level
            for each in (part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else ())
        ]
        if any(isinstance(part, (dict, list, tuple)) for part in level):
            depth += 1
        level = below
        if depth > most:
            break
    return depth
