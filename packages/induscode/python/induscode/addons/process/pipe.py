"""The two private ends of the protocol. Descriptors 0 and 1 become /dev/null and stderr, so that neither the addon nor
what it starts can read or write a message by accident."""

import os
import sys
import threading
from typing import Any, Iterator, List, Mapping, Optional

from .wire import MAX_FRAME_BYTES, encode

_CHUNK = 1 << 18


class Pipe:
    """Lines from the host, messages to it."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        # A finalizer may print while this very thread writes.
        self._lock = threading.RLock()

    def lines(self) -> Iterator[Optional[bytes]]:
        """Each line without its end, until the host closes its side. None stands for a line too long to keep."""
        parts: List[bytes] = []
        size = 0
        while True:
            try:
                chunk = os.read(self._source, _CHUNK)
            except OSError:
                return
            if not chunk:
                return
            first, *rest = chunk.split(b"\n")
            for number, piece in enumerate([first, *rest]):
                if number > 0:
                    yield b"".join(parts) if size <= MAX_FRAME_BYTES else None
                    parts, size = [], 0
                size += len(piece)
                if size <= MAX_FRAME_BYTES:
                    parts.append(piece)
                else:
                    parts = []

    def send(self, message: Mapping[str, Any]) -> None:
        """Writes one message. Raises RpcProblem for what cannot be one. Ends the process where nobody reads on."""
        self.write(encode(message))

    def write(self, line: bytes) -> None:
        """Writes one line that ends with its line end."""
        with self._lock:
            try:
                written = os.write(self._sink, line)
                while written < len(line):
                    written += os.write(self._sink, line[written:])
            except BrokenPipeError:
                os._exit(0)

    def abandon(self) -> None:
        """Closes both ends, in a forked child: the messages are its parent's."""
        for end in (self._source, self._sink):
            os.close(end)
        # Never to be written again, not even where the child opens a file under the same number.
        self._source = self._sink = -1
        sys.stdout = sys.stderr


def take_pipe() -> Pipe:
    """Takes descriptors 0 and 1 away from the program. Once, before any foreign code runs."""
    # What dup makes is not inherited by programs that the addon starts.
    pipe = Pipe(os.dup(0), os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=pipe.abandon)
    return pipe
