"""A process of `indus` at the other end of two pipes, one message a line."""

import json
import subprocess
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .events import Message, Problem

_PATIENCE_S = 5.0

Answers = Callable[[Message], Mapping[str, Any]]


class IndusProcess:
    """`heard` gets each message that is no request or answer, `told` each line for a person, `gone` why it ended, once."""

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
        self._writing = threading.Lock()
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
        lines = threading.Thread(target=self._read_lines, daemon=True)
        lines.start()
        self._reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self._reader.start()

    def send(self, message: Message) -> None:
        """What cannot be sent any more is lost: that it is gone is told by `gone`."""
        line = json.dumps(message).encode() + b"\n"
        assert self._child.stdin is not None
        with self._writing:
            try:
                self._child.stdin.write(line)
                self._child.stdin.flush()
            except (OSError, ValueError):
                return

    def ask(self, request: Message) -> Message:
        """Waits for the answer. Raises a Problem with what it says went wrong."""
        asked = _Asked()
        with self._writing:
            if self._why is not None:
                raise Problem(self._why)
            self._asked += 1
            name = f"program-{self._asked}"
            self._waiting[name] = asked
        self.send({"type": "control_request", "request_id": name, "request": request})
        asked.done.wait()
        if asked.problem is not None:
            raise Problem(asked.problem)
        return asked.answer

    def end(self) -> None:
        """Closes its end and waits; what does not end by itself is ended."""
        assert self._child.stdin is not None
        with self._writing:
            try:
                self._child.stdin.close()
            except OSError:
                pass  # it is gone already
        for stop in (lambda: None, self._child.terminate, self._child.kill):
            stop()
            try:
                self._child.wait(_PATIENCE_S)
                break
            except subprocess.TimeoutExpired:
                continue
        self._reader.join()

    def _read(self, lines: threading.Thread) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as stream:
            for line in stream:
                try:
                    message = json.loads(line)
                except ValueError:
                    self._told(line.decode("utf-8", "replace").rstrip("\n"))
                    continue
                self._take(message)
        lines.join()
        code = self._child.wait()
        why = f"indus ended ({f'exit code {code}' if code >= 0 else f'signal {-code}'})"
        with self._writing:
            self._why = why
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for asked in waiting:
            asked.settle(problem=why)
        self._gone(why)

    def _read_lines(self) -> None:
        assert self._child.stderr is not None
        with self._child.stderr as stream:
            for line in stream:
                self._told(line.decode("utf-8", "replace").rstrip("\n"))

    def _take(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "control_response":
            response = message["response"]
            with self._writing:
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


class _Asked:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: Message = {}
        self.problem: Optional[str] = None

    def settle(self, answer: Optional[Message] = None, problem: Optional[str] = None) -> None:
        self.answer, self.problem = answer or {}, problem
        self.done.set()
