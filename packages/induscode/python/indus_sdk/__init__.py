"""A task or a session of `indus` in a program, in a process of its own. The twin of `induscode/sdk`."""

from .events import (
    Call,
    Event,
    Fault,
    Notice,
    Outcome,
    Piece,
    Problem,
    Result,
    Text,
    Thinking,
    Usage,
)
from .options import Answer, Ask, Mode, Question
from .prompt import Image, Prompt
from .session import Query, Session, query
from .task import Task

__all__ = [
    "Answer",
    "Ask",
    "Call",
    "Event",
    "Fault",
    "Image",
    "Mode",
    "Notice",
    "Outcome",
    "Piece",
    "Problem",
    "Prompt",
    "Query",
    "Question",
    "Result",
    "Session",
    "Task",
    "Text",
    "Thinking",
    "Usage",
    "query",
]
