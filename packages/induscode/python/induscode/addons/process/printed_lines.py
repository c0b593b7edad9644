"""Makes what an addon prints into protocol messages, so that `print` can neither break the protocol nor flood it."""

import io
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from .._protocol import METHOD_LOG, METHOD_PROGRESS
from .request import RequestId

MAX_MESSAGES_PER_SECOND = 500
"""A tenth of what the host takes from one addon; what goes beyond is gathered into one message."""

MAX_LINE = 64 * 1024
MAX_GATHERED = 256 * 1024


class PrintedLines:
    """Lines in, messages out: `progress` where a command prints, else `log`."""

    def __init__(self, send: Callable[[str, Dict[str, Any]], None]) -> None:
        self._send = send
        self._lock = threading.RLock()
        self._unfinished: Dict[Optional[RequestId], str] = {}
        self._gathered: Dict[Optional[RequestId], List[str]] = {}
        self._gathered_size = 0
        self._dropped = 0
        self._second = 0
        self._sent = 0
        self._timer: Optional[threading.Timer] = None

    def write(self, command: Optional[RequestId], text: str) -> None:
        """Takes printed text; whole lines go on."""
        with self._lock:
            *lines, rest = (self._unfinished.pop(command, "") + text).split("\n")
            while len(rest) > MAX_LINE:
                lines.append(rest[:MAX_LINE])
                rest = rest[MAX_LINE:]
            if rest:
                self._unfinished[command] = rest
            for line in lines:
                for start in range(0, max(len(line), 1), MAX_LINE):
                    self._put(command, line[start : start + MAX_LINE])

    def tell(self, text: str) -> None:
        """Sends a text of ours to the log, under the same limits."""
        with self._lock:
            self._put(None, text[:MAX_LINE])

    def finish(self, command: Optional[RequestId]) -> None:
        """Sends what was printed without a line end, and what was gathered of a command: its answer ends it."""
        if command not in self._unfinished and command not in self._gathered:
            return
        with self._lock:
            rest = self._unfinished.pop(command, "")
            if rest:
                self._put(command, rest)
            # The log can wait: else each failing handler would send its own message after all.
            if command is not None and command in self._gathered:
                self._release()

    def _put(self, command: Optional[RequestId], line: str) -> None:
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._sent = second, 0
            self._release()
        if self._sent < MAX_MESSAGES_PER_SECOND:
            self._emit(command, line)
            return
        if self._gathered_size + len(line) > MAX_GATHERED:
            self._dropped += 1
        else:
            self._gathered.setdefault(command, []).append(line)
            self._gathered_size += len(line) + 1
        if self._timer is None:
            timer = threading.Timer(1.0, self._release)
            timer.daemon = True
            try:
                timer.start()
            except RuntimeError:  # No further thread can be started: the next line releases them.
                return
            self._timer = timer

    def _release(self) -> None:
        with self._lock:
            gathered, dropped = self._gathered, self._dropped
            if self._timer is not None:
                self._timer.cancel()
            self._gathered, self._gathered_size, self._dropped, self._timer = {}, 0, 0, None
            for command, lines in gathered.items():
                self._emit(command, "\n".join(lines))
            if dropped:
                self._emit(None, f"{dropped} printed lines were dropped: more than {MAX_GATHERED} bytes in a second")

    def _emit(self, command: Optional[RequestId], text: str) -> None:
        self._sent += 1
        if command is None:
            self._send(METHOD_LOG, {"text": text})
        else:
            self._send(METHOD_PROGRESS, {"id": command, "text": text})


class PrintedText(io.TextIOBase):
    """What stands in for `sys.stdout`. `current` answers the id of the command that prints, if one does."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, lines: PrintedLines, current: Callable[[], Optional[RequestId]]) -> None:
        self._lines = lines
        self._current = current
        self.buffer = _PrintedBytes(self)

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._lines.write(self._current(), text)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        # Where a program that the addon starts with stdout=sys.stdout writes: stderr by then.
        return 1


class _PrintedBytes(io.RawIOBase):
    def __init__(self, text: PrintedText) -> None:
        self._text = text

    def write(self, data: Any) -> int:
        raw = bytes(data)
        self._text.write(raw.decode("utf-8", "replace"))
        return len(raw)

    def writable(self) -> bool:
        return True
