"""The host's side of the pipe, for tests: starts the runner as `indus` does and talks raw JSON lines to it."""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import Any, Callable, Dict, Iterator, List, Optional

KIT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
START = f"import sys; sys.path.insert(0, {KIT!r}); from induscode.addons.runner import main; main()"
WAIT = 60
# Byte code goes where these tests keep theirs, the standard library's as well, and is not made again at each start; without
# such a place none is written.
BYTE_CODE = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]


class RpcFailure(Exception):
    """An error answer."""

    def __init__(self, error: Dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data")


class Runner:
    """One addon's process."""

    def __init__(self, entry: str, start: str = START) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", *BYTE_CODE, "-X", "utf8", "-c", start, entry],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.received: List[Dict[str, Any]] = []
        self.services: Dict[str, Callable[[Dict[str, Any]], Any]] = {}
        self.stderr = b""
        self._news: "queue.Queue[Optional[Dict[str, Any]]]" = queue.Queue()
        self._next = 0
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._read, self._drain)]
        for thread in self._threads:
            thread.start()

    def describe(self, **changes: Any) -> Any:
        """The first request."""
        params = {"protocol": {"min": 1, "max": 1}, "id": "derived", "cwd": "/workspace", "grants": []}
        return self.ask("describe", {**params, **changes})

    def ask(self, method: str, params: Dict[str, Any]) -> Any:
        """A request's result; raises RpcFailure."""
        return self.answer_to(self.send(method, params))

    def send(self, method: str, params: Any) -> int:
        """Sends a request; answers its id."""
        self._next += 1
        self.write({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def cancel(self, id: int) -> None:
        """Nobody waits for it any more."""
        self.write({"jsonrpc": "2.0", "method": "cancel", "params": {"id": id}})

    def write(self, message: Any) -> None:
        """Sends one message."""
        self.write_line(json.dumps(message, ensure_ascii=False).encode())

    def write_line(self, line: bytes) -> None:
        """Sends one line."""
        data = line + b"\n"
        while data:
            data = data[os.write(self.process.stdin.fileno(), data) :]

    def answer_to(self, id: Optional[int]) -> Any:
        """Waits for the answer of a request."""
        found = self.wait_for(lambda message: "method" not in message and message["id"] == id)
        if "error" in found:
            raise RpcFailure(found["error"])
        return found["result"]

    def wait_for(self, fits: Callable[[Dict[str, Any]], bool]) -> Dict[str, Any]:
        """The first message that fits, received or to come; host services are answered meanwhile."""
        for message in self.received:
            if fits(message):
                return message
        deadline = time.monotonic() + WAIT
        while True:
            message = self._news.get(timeout=max(deadline - time.monotonic(), 0.01))
            if message is None:
                raise EOFError(f"the process ended: {self.stderr.decode()}")
            self.received.append(message)
            if message.get("method") in self.services and "id" in message:
                self._serve(message)
            if fits(message):
                return message

    def notices(self, method: str) -> List[Dict[str, Any]]:
        """The params of what was received of one method."""
        return [message["params"] for message in self.received if message.get("method") == method]

    def end(self) -> int:
        """Closes the pipe, waits for the process, and answers its exit code."""
        self.process.stdin.close()
        code = self.process.wait(WAIT)
        for thread in self._threads:
            thread.join(WAIT)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def _serve(self, message: Dict[str, Any]) -> None:
        try:
            answer = {"result": self.services[message["method"]](message["params"])}
        except RpcFailure as failure:
            answer = {"error": {"code": failure.code, "message": str(failure)}}
        self.write({"jsonrpc": "2.0", "id": message["id"], **answer})

    def _read(self) -> None:
        for line in self._lines():
            try:
                self._news.put(json.loads(line))
            except ValueError:
                self._news.put({"method": "no message", "params": line})
        self._news.put(None)

    def _lines(self) -> Iterator[bytes]:
        # A pipe without a buffer reads a line byte by byte.
        rest = b""
        while True:
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                return
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines

    def _drain(self) -> None:
        for line in self.process.stderr:
            self.stderr += line


class RunnerCase(unittest.TestCase):
    """A test with an addon of its own text."""

    shared: Optional[Runner] = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write_file(self, name: str, text: str) -> str:
        """Writes a file of the test's folder; answers its path."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def start(self, text: str) -> Runner:
        """Starts an addon of this text, not yet described."""
        return self.start_file(self.write_file("sample.py", text))

    def start_file(self, entry: str) -> Runner:
        """Starts the addon of an entry file."""
        runner = Runner(entry)
        self.addCleanup(_close, runner)
        return runner

    def run_addon(self, text: str) -> Runner:
        """Starts an addon of this text and has it describe itself."""
        runner = self.start(text)
        runner.describe()
        return runner

    def fails(self, code: int, call: Callable[[], Any]) -> RpcFailure:
        """The error answer that a call gets, of this code."""
        with self.assertRaises(RpcFailure) as raised:
            call()
        self.assertEqual(raised.exception.code, code, str(raised.exception))
        return raised.exception

    def shared_addon(self, text: str) -> Runner:
        """The class's own process of this addon, described; a new one where a test has ended the last one."""
        cls = type(self)
        runner = cls.shared
        if runner is None or runner.process.poll() is not None or runner.process.stdin.closed:
            folder = tempfile.mkdtemp()
            cls.addClassCleanup(shutil.rmtree, folder)
            entry = os.path.join(folder, "sample.py")
            with open(entry, "w", encoding="utf-8") as file:
                file.write(text)
            runner = cls.shared = Runner(entry)
            cls.addClassCleanup(_close, runner)
            runner.describe()
        runner.received.clear()
        runner.services.clear()
        return runner


def _close(runner: Runner) -> None:
    if runner.process.poll() is None:
        runner.process.kill()
    runner.end()
