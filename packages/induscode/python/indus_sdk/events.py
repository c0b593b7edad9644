"""What a task says while it runs, and how it ends. Texts of the model, of tools and of features are untrusted."""

from dataclasses import dataclass, field
from typing import Any, List, Literal, Mapping, Optional, Union


class Problem(Exception):
    """Somebody must act first: the message says how."""


@dataclass(frozen=True)
class Text:
    """A text of an answer, whole."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """What the model thought before it, where its provider shows that."""

    text: str


@dataclass(frozen=True)
class Piece:
    """A piece of a text or a thought, with `pieces`. An answer that is begun anew sends its pieces anew."""

    of: Literal["text", "thinking"]
    text: str


@dataclass(frozen=True)
class Call:
    """The model wants a tool called."""

    id: str
    tool: str
    input: Any


@dataclass(frozen=True)
class Outcome:
    """What came of that call, as the model reads it. `state`: ok, failed, refused or cancelled."""

    id: str
    tool: str
    state: str
    text: str


@dataclass(frozen=True)
class Notice:
    """For a person. `level`: info, warning or error."""

    level: str
    text: str


@dataclass(frozen=True)
class Fault:
    """Why a task has no answer."""

    kind: str
    message: str


@dataclass(frozen=True)
class Usage:
    """Tokens of the session so far."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True)
class Result:
    """How a task ended; the last event. `text` and `output` are there if it is complete, `fault` if it is faulted."""

    kind: Literal["complete", "aborted", "faulted"]
    session_id: str = ""
    text: str = ""
    output: Any = None
    fault: Optional[Fault] = None
    cost: float = 0.0
    usage: Usage = field(default_factory=Usage)


Event = Union[Text, Thinking, Piece, Call, Outcome, Notice, Result]

Message = Mapping[str, Any]


def events_of(message: Message) -> List[Event]:
    """The events in one line of the process; none for what a program that follows a task need not know."""
    kind = message.get("type")
    if kind == "assistant":
        return [event for block in _content(message) for event in _of_block(block)]
    if kind == "user":
        return [_outcome(block, message) for block in _content(message) if block.get("type") == "tool_result"]
    if kind == "stream_event":
        return _pieces(message["event"].get("delta", {}))
    if kind == "system" and message.get("subtype") == "notice":
        return [Notice(message["level"], message["message"])]
    return []


def result_of(message: Message) -> Result:
    """The last line of a task."""
    end = message.get("end")
    text = str(message.get("result", ""))
    usage = message.get("usage", {})
    return Result(
        kind=end if end in ("complete", "aborted") else "faulted",
        session_id=str(message.get("session_id", "")),
        text=text if end == "complete" else "",
        output=message.get("structured_output"),
        fault=None if end in ("complete", "aborted") else Fault(str(message.get("fault_kind", "")), text),
        cost=float(message.get("total_cost_usd", 0)),
        usage=Usage(
            usage.get("input_tokens", 0),
            usage.get("output_tokens", 0),
            usage.get("cache_read_input_tokens", 0),
            usage.get("cache_creation_input_tokens", 0),
        ),
    )


def _content(message: Message) -> List[Message]:
    content = message["message"]["content"]
    return content if isinstance(content, list) else []


def _of_block(block: Message) -> List[Event]:
    kind = block.get("type")
    if kind == "text":
        return [Text(block["text"])]
    if kind == "thinking":
        return [Thinking(block["thinking"])]
    if kind == "tool_use":
        return [Call(block["id"], block["name"], block["input"])]
    return []


def _outcome(block: Message, message: Message) -> Outcome:
    content = block.get("content", "")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    return Outcome(block["tool_use_id"], message.get("tool_name", ""), message.get("state", ""), content)


def _pieces(delta: Message) -> List[Event]:
    kind = delta.get("type")
    if kind == "text_delta":
        return [Piece("text", delta["text"])]
    if kind == "thinking_delta":
        return [Piece("thinking", delta["thinking"])]
    return []
