"""The framework's types that addons meet: tools, their results, messages, models. Shapes only."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, List, Literal, Mapping, NewType, Sequence, Union

if TYPE_CHECKING:
    from ._messages import ContentBlock

ThinkingLevel = Literal["off", "low", "medium", "high", "xhigh", "max"]
"""How hard the model thinks."""

AgentMessage = Mapping[str, Any]
"""One message of the conversation, as `context:build` carries it."""

Model = NewType("Model", str)
"""A model's name, `provider/model`."""

Component = Any
"""What `render` would draw. This kit's processes have no terminal, so nothing makes one."""

KeyId = NewType("KeyId", str)
"""The name of a key."""


@dataclass(frozen=True)
class AgentToolResult:
    """What a tool returns. `content` is a string, or a list of strings and blocks; other values are JSON blocks.

    With `is_error` the call failed, and `content` says why. That is not a fault of the addon: a failure that is to be
    expected is told so.
    """

    content: Union[str, Sequence[Any]] = ()
    is_error: bool = False

    @property
    def blocks(self) -> "List[ContentBlock]":
        """The content as blocks."""
        parts = [self.content] if isinstance(self.content, (str, Mapping)) else self.content
        return [_block(part) for part in parts]

    @property
    def text(self) -> str:
        """The texts of the content, joined."""
        return "".join(block["text"] for block in self.blocks if block["kind"] == "text")


@dataclass(frozen=True)
class AgentTool:
    """A tool that the model can call.

    `parameters` is a JSON Schema of an object. `execute(args)` may be a plain function or an `async` one, and answers
    an AgentToolResult, a string, a mapping with `content`, or None. What it raises, the model reads as an error, and it
    counts as a fault: three within five minutes put the addon in quarantine. For a failure that is to be expected, return
    an AgentToolResult with `is_error=True`.

    `required_capabilities` are mappings such as `{"kind": "files", "write": True}`, which the manifest asks for too: without
    one of them this tool is not installed, and the rest of the addon is.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    execute: Callable[[Any], Any]
    required_capabilities: Sequence[Mapping[str, Any]] = ()


def tool_result(value: Any) -> AgentToolResult:
    """`value` as a tool's result; raises TypeError if it is not one."""
    if isinstance(value, AgentToolResult):
        return value
    if value is None:
        return AgentToolResult()
    if isinstance(value, str):
        return AgentToolResult(value)
    if isinstance(value, Mapping) and "content" in value:
        is_error = value.get("is_error", value.get("isError", False))
        return AgentToolResult(value["content"], bool(is_error))
    found = type(value).__name__
    raise TypeError(f'expected an AgentToolResult, a string, a mapping with "content" or None, found {found}')


def _block(part: Any) -> "ContentBlock":
    if isinstance(part, str):
        return {"kind": "text", "text": part}
    if isinstance(part, Mapping):
        if part.get("kind", part.get("type")) == "text" and isinstance(part.get("text"), str):
            return {"kind": "text", "text": part["text"]}
        if part.get("kind") == "json" and "value" in part:
            return {"kind": "json", "value": part["value"]}
    return {"kind": "json", "value": part}
