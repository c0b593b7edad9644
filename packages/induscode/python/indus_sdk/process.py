"""A process of `indus` at the other end of two pipes, one message a line."""

import collections
import json
import queue
import subprocess
import threading
from typing import IO, Any, Callable, Deque, Dict, Mapping, Optional, Sequence

from .events import Message, Problem

_PATIENCE_S = 5.0
"""How long it may take to end by itself, when told, and when killed."""
_PIPES_S = 2.0
"""Once it has ended, its pipes may be held open by whatever it left behind: what comes later is not waited for."""
_ANSWER_S = 120.0
"""How long an answer may take: a session that opens starts its servers first."""
_MAX_LINE_BYTES = 64 * 1024 * 1024
"""Of a message, one with several pictures."""
_MAX_TOLD_BYTES = 64 * 1024
"""Of a line for a person."""
_LAST_LINES = 20

Answers = Callable[[Message], Mapping[str, Any]]


class IndusProcess:
    """`heard` gets each message that is no request or answer, `told` each line for a person, `gone` why it ended, once.

    Nothing waits for its pipe: what is sent is written by a thread of its own.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Optional[str],
        env: Optional[Mapping[str, str]],
        answers: Answers,
        heard: Callable[[Message], None],
        told: Callable[[str], None],
        gone: Callable[[str], None],
    ) -> None:
        self._answers, self._heard, self._told, self._gone = answers, heard, told, gone
        self._state = threading.Lock()
        self._outgoing: "queue.SimpleQueue[Optional[bytes]]" = queue.SimpleQueue()
        self._last: Deque[str] = collections.deque(maxlen=_LAST_LINES)
        self._broken: Optional[str] = None
        self._waiting: Dict[str, "_Asked"] = {}
        self._asked = 0
        self._why: Optional[str] = None
        try:
            self._child = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=None if env is None else dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise Problem(f"indus cannot be started: {error}") from error
        assert self._child.stdin and self._child.stdout and self._child.stderr
        _thread(self._write, self._child.stdin)
        readers = [
            _thread(self._read, self._child.stdout),
            _thread(self._read_lines, self._child.stderr),
        ]
        self._watcher = _thread(self._watch, readers)

    def send(self, message: Message) -> None:
        """Returns at once. What cannot be sent any more is lost: that it is gone is told by `gone`."""
        self._outgoing.put(json.dumps(message).encode() + b"\n")

    def order(self, request: Message) -> None:
        """Asks for what has no answer that matters. Returns at once."""
        self.send({"type": "control_request", "request_id": "program-order", "request": request})

    def ask(self, request: Message) -> Message:
        """Waits for the answer. Raises a Problem with what it says went wrong, or if there is none in time."""
        asked = _Asked()
        with self._state:
            if self._why is not None:
                raise Problem(self._why)
            self._asked += 1
            name = f"program-{self._asked}"
            self._waiting[name] = asked
        self.send({"type": "control_request", "request_id": name, "request": request})
        if not asked.done.wait(_ANSWER_S):
            raise Problem(f"indus did not answer {request['subtype']} in {_ANSWER_S:.0f} s")
        if asked.problem is not None:
            raise Problem(asked.problem)
        return asked.answer

    def kill(self) -> None:
        """Ends it at once."""
        self._child.kill()

    def end(self) -> None:
        """Closes its end and waits; what does not end by itself is ended. Takes 17 s at most."""
        self._outgoing.put(None)
        for stop in (lambda: None, self._child.terminate, self._child.kill):
            stop()
            try:
                self._child.wait(_PATIENCE_S)
                break
            except subprocess.TimeoutExpired:
                continue
        self._watcher.join(2 * _PIPES_S)

    def _write(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                for line in iter(self._outgoing.get, None):
                    stream.write(line)
                    stream.flush()
        except (OSError, ValueError):
            return  # it is gone, which is told below

    def _watch(self, readers: Sequence[threading.Thread]) -> None:
        code = self._child.wait()
        for reader in readers:
            reader.join(_PIPES_S / len(readers))
        ended = f"indus ended ({f'exit code {code}' if code >= 0 else f'signal {-code}'})"
        why = "\n".join([self._broken or ended, *self._last])
        with self._state:
            self._why = why
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for asked in waiting:
            asked.settle(problem=why)
        self._outgoing.put(None)
        self._gone(why)

    def _read(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                for line in iter(lambda: stream.readline(_MAX_LINE_BYTES + 1), b""):
                    if len(line) > _MAX_LINE_BYTES:
                        raise ValueError(f"it wrote a line of more than {_MAX_LINE_BYTES} bytes")
                    message = _message_in(line)
                    if message is not None:
                        self._take(message)
                    elif line.strip():
                        self._tell(f"a line that is not a message: {_text(line[:400])}")
        except Exception as error:  # also a message that lacks what it must have
            if self._child.poll() is None:
                self._broken = f"indus was ended: {type(error).__name__}: {error}"
            self._child.kill()

    def _read_lines(self, stream: IO[bytes]) -> None:
        with stream:
            for line in iter(lambda: stream.readline(_MAX_TOLD_BYTES), b""):
                self._tell(_text(line))

    def _tell(self, line: str) -> None:
        self._last.append(line)
        self._told(line)

    def _take(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "control_response":
            response = message["response"]
            with self._state:
                asked = self._waiting.pop(str(response.get("request_id")), None)
            if asked is not None and response.get("subtype") == "success":
                asked.settle(answer=response.get("response") or {})
            elif asked is not None:
                asked.settle(problem=str(response.get("error")))
        elif kind == "control_request":
            # On a thread of its own: who answers may take its time, and ask in turn.
            threading.Thread(target=self._answer, args=(message,), daemon=True).start()
        elif kind != "control_cancel_request":
            self._heard(message)

    def _answer(self, message: Message) -> None:
        reply: Dict[str, Any] = {"request_id": message["request_id"]}
        try:
            reply.update(subtype="success", response=self._answers(message["request"]))
        except Exception as error:  # whatever the program's function raises is its answer
            reply.update(subtype="error", error=f"{type(error).__name__}: {error}")
        self.send({"type": "control_response", "response": reply})


def _thread(run: Callable[..., None], *args: Any) -> threading.Thread:
    thread = threading.Thread(target=run, args=args, daemon=True)
    thread.start()
    return thread


def _message_in(line: bytes) -> Optional[Message]:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r\n")


class _Asked:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: Message = {}
        self.problem: Optional[str] = None

    def settle(self, answer: Optional[Message] = None, problem: Optional[str] = None) -> None:
        self.answer, self.problem = answer or {}, problem
        self.done.set()
