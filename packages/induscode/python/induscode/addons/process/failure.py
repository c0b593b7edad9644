"""Says what an addon's exception was, and at which of its lines."""

import os
import sys
import traceback
from types import FrameType
from typing import Optional, Tuple

MAX_TRACE = 8 * 1024


def describe_failure(error: BaseException, root: str) -> str:
    """`ValueError: what it says (redact.py, line 12)`: the last line of the traceback that is the addon's own.
    `root` is its file, or its folder."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{type(error).__name__}: {error.msg} ({_name(error.filename, root)}, line {error.lineno})"
    if isinstance(error, SystemExit):
        text = f"it called sys.exit({error.code!r}); an addon must return instead, the host stops its process"
    else:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = _place(error, root)
    return text if place is None else f"{text} ({_name(place[0], root)}, line {place[1]})"


def describe_unfit(error: BaseException, root: str) -> str:
    """The same while the addon's own line is still running: it is on the stack and not in the traceback."""
    text = describe_failure(error, root)
    if _place(error, root) is not None:
        return text
    frame: Optional[FrameType] = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if _is_own(file, root):
            return f"{text} ({_name(file, root)}, line {frame.f_lineno})"
        frame = frame.f_back
    return text


def trace_of(error: BaseException) -> str:
    """The traceback for the addon's log, its end at least."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__, limit=-20))
    return text[-MAX_TRACE:]


def _place(error: BaseException, root: str) -> Optional[Tuple[str, int]]:
    place = None
    frame = error.__traceback__
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        if _is_own(file, root):
            place = (file, frame.tb_lineno)
        frame = frame.tb_next
    return place


def _is_own(file: str, root: str) -> bool:
    return file == root or file.startswith(root + os.sep)


def _name(file: str, root: str) -> str:
    return os.path.relpath(file, root) if file.startswith(root + os.sep) else os.path.basename(file)
