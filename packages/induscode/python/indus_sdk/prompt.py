"""What a task begins with, as the process reads it."""

import base64
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Sequence, Union

from .events import Problem


@dataclass(frozen=True)
class Image:
    """A picture: the content of a PNG, JPEG, GIF or WebP file."""

    data: bytes = field(repr=False)


Prompt = Union[str, Sequence[Union[str, Image]]]


def content_of(prompt: Prompt) -> Union[str, List[Mapping[str, Any]]]:
    """Raises a Problem for what is no prompt."""
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, (list, tuple)):
        raise Problem(f"a prompt is a text, or a list of texts and images; got {prompt!r:.80}")
    return [_block_of(each) for each in prompt]


def _block_of(part: Union[str, Image]) -> Mapping[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, Image):
        raise Problem(f"a prompt is a text, or a list of texts and images; got {part!r:.80}")
    data = base64.b64encode(part.data).decode()
    return {"type": "image", "source": {"type": "base64", "data": data}}
