"""What a line of the host is: a request, a notice or an answer. Exact keys, JSON-RPC 2.0, no batches."""

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from .._protocol import ERROR_PARAMS, ERROR_REQUEST
from .request import Request, RequestId
from .wire import RpcProblem, decode


@dataclass(frozen=True)
class Notice:
    """A message without an answer."""

    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """The host's answer to a request of ours."""

    id: Optional[RequestId]
    result: Any
    error: Any


class Malformed(Exception):
    """A line that is none of the three, and the id under which the host is told so."""

    def __init__(self, id: Optional[RequestId], problem: RpcProblem) -> None:
        super().__init__(problem.message)
        self.id = id
        self.problem = problem


def parse_line(line: bytes) -> Union[Request, Notice, Answer]:
    """Reads one line. Raises Malformed."""
    try:
        message = decode(line)
    except RpcProblem as problem:
        raise Malformed(None, problem) from problem
    if not isinstance(message, dict):
        raise Malformed(None, RpcProblem(ERROR_REQUEST, f"expected one message, found a JSON {type(message).__name__}"))
    has_id = "id" in message
    # Exactly these types: True is an int to isinstance.
    id = message["id"] if has_id and type(message["id"]) in (int, str) else None
    if message.get("jsonrpc") != "2.0":
        raise Malformed(id, RpcProblem(ERROR_REQUEST, 'expected "jsonrpc" to be "2.0"'))
    method = message.get("method")
    if method is None and ("result" in message or "error" in message):
        return Answer(id, message.get("result"), message.get("error"))
    if type(method) is not str or (has_id and id is None):
        expected = "expected a method, and an id that is an integer or a string"
        raise Malformed(id, RpcProblem(ERROR_REQUEST, expected))
    params = message.get("params", {})
    if not isinstance(params, dict):
        found = type(params).__name__
        raise Malformed(id, RpcProblem(ERROR_PARAMS, f"{method}: expected an object as params, found {found}"))
    return Notice(method, params) if id is None else Request(id, method, params, line)
