"""One addon as a process: a thread that reads and acknowledges, lanes and a loop that work, one answer a request.

Plain functions run one at a time: event handlers and interceptors on the main thread; tools and commands on a second
one, so that a slow command does not hold up a gate; each background task on a thread of its own. `async` functions
share a loop.
"""

import os
import threading
import time
import traceback
from contextvars import copy_context
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from .. import _protocol as protocol
from ..awaiting import settle
from ..host_services import HostRefused
from ..path_hygiene import resolve_path
from .contributions import Contributions, Finish
from .describing import AddonPlace, Described, describe_addon
from .event_loop import EventLoop
from .failure import describe_failure, trace_of
from .host_port import PipeHost
from .incoming import Answer, Malformed, Notice, parse_line
from .lane import Lane
from .pipe import Pipe
from .printed_lines import PrintedLines
from .request import CURRENT, Request, RequestId, RunningTask
from .wire import RpcProblem

END_SECONDS = 0.6
"""The host allows a second from `dispose`, or from the end of its pipe, to the end of the process."""

_HOOKS = (protocol.METHOD_DESCRIBE, protocol.METHOD_EVENT, protocol.METHOD_ENTER, protocol.METHOD_EXIT)
_CALLS = (protocol.METHOD_TOOL, protocol.METHOD_COMMAND)


class AddonProcess:
    """Runs the addon at `entry` for the host at the other end of `pipe`."""

    def __init__(self, entry: str, pipe: Pipe) -> None:
        path = resolve_path(entry)
        is_package = os.path.basename(path) == "__init__.py"
        self._place = AddonPlace(path, os.path.dirname(path) if is_package else path)
        self._pipe = pipe
        self._hooks = Lane()
        self._calls = Lane()
        self._calls_started = False
        self._loop = EventLoop()
        self._host = PipeHost(pipe.send, (self._hooks, self._calls))
        self._open: Dict[RequestId, Request] = {}
        self._described = False
        self._contributions: Optional[Contributions] = None
        self.printed = PrintedLines(self._host.notify)

    def run(self) -> None:
        """Works until the host has said `dispose` or closed its pipe. On the main thread."""
        threading.Thread(target=self._read, name="indus-reader", daemon=True).start()
        self._hooks.run()
        self._loop.close(END_SECONDS / 2)

    def printing_command(self) -> Optional[RequestId]:
        """The command that the running code works for, to whom its printed lines belong."""
        request = CURRENT.get()
        if request is None or request.method != protocol.METHOD_COMMAND or request.answered:
            return None
        return request.id

    # The reader's thread.

    def _read(self) -> None:
        try:
            for line in self._pipe.lines():
                if line is None:
                    problem = "expected a shorter line; this one was skipped"
                    self._refuse(None, RpcProblem(protocol.ERROR_PARSE, problem))
                elif line.strip() and self._receive(line):
                    break
        except BaseException:  # Our own bug: a process that reads no more must not look alive.
            traceback.print_exc()
            os._exit(70)
        for request in list(self._open.values()):
            request.interrupted()
        self._calls.close()
        self._hooks.close()
        # The main thread ends by itself now; if foreign code holds it, the process ends all the same.
        time.sleep(END_SECONDS)
        os._exit(0)

    def _receive(self, line: bytes) -> bool:
        """Takes one line; True after `dispose`."""
        try:
            message = parse_line(line)
        except Malformed as malformed:
            self._refuse(malformed.id, malformed.problem)
            return False
        if isinstance(message, Answer):
            if not self._host.receive(message.id, message.result, message.error):
                self._log(f"the host answered {message.id!r}, which is not an open request")
        elif isinstance(message, Notice):
            if message.method == protocol.METHOD_CANCEL:
                self._cancel(message.params.get("id"))
        elif message.method == protocol.METHOD_DISPOSE:
            self._reply(message, {})
            return True
        else:
            self._begin(message)
        return False

    def _begin(self, request: Request) -> None:
        method = request.method
        if request.id in self._open:
            problem = f"expected a new id, found that of a running {self._open[request.id].method}"
            self._refuse(request.id, RpcProblem(protocol.ERROR_REQUEST, problem))
        elif method == protocol.METHOD_TASK_STOP:
            self._stop_task(request)
        elif method in _HOOKS:
            self._accept(request, self._hooks.submit)
        elif method in _CALLS:
            self._accept(request, self._submit_call)
        elif method == protocol.METHOD_TASK_START:
            self._begin_task(request)
        else:
            self._refuse(request.id, RpcProblem(protocol.ERROR_METHOD, f"unknown method {method!r}"))

    def _begin_task(self, request: Request) -> None:
        if self._running_task(request.params.get("id")) is not None:
            problem = f"expected a task that is not running, found {request.params['id']!r} running"
            self._refuse(request.id, RpcProblem(protocol.ERROR_REQUEST, problem))
            return
        request.stop = threading.Event()
        self._accept(request, _run_on_a_thread)

    def _running_task(self, id: Any) -> Optional[Request]:
        for request in list(self._open.values()):
            if request.stop is not None and request.params.get("id") == id:
                return request
        return None

    def _accept(self, request: Request, submit: Callable[[Callable[[], None]], None]) -> None:
        # Before any foreign code runs: whoever blocks later, the host knows that the process lives.
        self._open[request.id] = request
        self._pipe.send({"jsonrpc": "2.0", "method": protocol.METHOD_ACK, "params": {"id": request.id}})
        try:
            submit(lambda: self._perform(request))
        except RuntimeError as error:  # No further thread can be started: the addon's memory limit, as a rule.
            self._fail(request, error)

    def _submit_call(self, job: Callable[[], None]) -> None:
        if not self._calls_started:
            self._calls.start("indus-calls")
            self._calls_started = True
        self._calls.submit(job)

    def _cancel(self, id: Any) -> None:
        request = self._open.get(id) if type(id) in (int, str) else None
        if request is not None:
            request.cancelled = True
            request.interrupted()

    def _stop_task(self, request: Request) -> None:
        running = self._running_task(request.params.get("id"))
        if running is not None:
            running.interrupted()
        self._reply(request, {})

    # A lane's thread, a task's thread, or the loop's.

    def _perform(self, request: Request) -> None:
        token = CURRENT.set(request)
        try:
            if request.cancelled:
                raise _cancelled()
            value, finish = self._start(request)
            if hasattr(value, "__await__"):
                self._await(request, value, finish)
                return
            result = finish(value)
        except BaseException as error:  # A fence: handlers, tools, commands and tasks are foreign code.
            self._fail(request, error)
        else:
            self._answer(request, result)
        finally:
            CURRENT.reset(token)

    def _start(self, request: Request) -> Tuple[Any, Finish]:
        if request.method == protocol.METHOD_DESCRIBE:
            if self._described:
                raise RpcProblem(protocol.ERROR_REQUEST, "expected describe once, found it again")
            self._described = True
            return describe_addon(request, self._place, self._host, self._log), self._take
        if self._contributions is None:
            problem = f"expected describe first, found {request.method}"
            raise RpcProblem(protocol.ERROR_REQUEST, problem)
        if request.stop is None:
            return self._contributions.start(request)
        task = self._contributions.task(request)
        return task.run(RunningTask(request.stop)), lambda _value: {}

    def _take(self, described: Described) -> Mapping[str, object]:
        self._contributions = described.contributions
        return described.registration

    def _await(self, request: Request, value: Any, finish: Finish) -> None:
        async def work() -> None:
            try:
                result = finish(await settle(value))
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # The same fence; a cancellation goes on.
                self._fail(request, error)
            else:
                self._answer(request, result)

        def begun(task: Any) -> None:
            request.interrupts.append(lambda: self._loop.soon(task.cancel))
            task.add_done_callback(ended)
            if request.is_over():  # Cancelled before there was a task to cancel.
                task.cancel()

        def ended(task: Any) -> None:
            if task.cancelled():
                # A task that was cancelled before its first step has not begun to await the handler's coroutine.
                if hasattr(value, "close"):
                    value.close()
                self._fail(request, _cancelled())

        self._loop.spawn(work(), copy_context(), begun)

    # Answers, from any thread.

    def _answer(self, request: Request, result: Mapping[str, object]) -> None:
        if self._close(request):
            self._reply(request, result)

    def _fail(self, request: Request, error: BaseException) -> None:
        if isinstance(error, HostRefused) and error.kind == "cancelled" and request.is_over():
            error = _cancelled()
        if not isinstance(error, RpcProblem):
            self._log(trace_of(error))
            error = RpcProblem(protocol.ERROR_FAILED, describe_failure(error, self._place.root))
        if not self._close(request):
            return
        if error.code == protocol.ERROR_CANCELLED and request.stop is not None and not request.cancelled:
            self._reply(request, {})  # A task that was told to end has ended.
        else:
            self._refuse(request.id, error)

    def _close(self, request: Request) -> bool:
        if request.answered:
            return False
        self.printed.finish(request.id if request.method == protocol.METHOD_COMMAND else None)
        request.answered = True
        self._open.pop(request.id, None)
        return True

    def _reply(self, request: Request, result: Mapping[str, object]) -> None:
        try:
            self._pipe.send({"jsonrpc": "2.0", "id": request.id, "result": result})
        except RpcProblem as problem:
            self._refuse(request.id, problem)

    def _refuse(self, id: Optional[RequestId], problem: RpcProblem) -> None:
        error: Dict[str, Any] = {"code": problem.code, "message": problem.message[:4096]}
        if problem.data is not None:
            error["data"] = problem.data
        self._pipe.send({"jsonrpc": "2.0", "id": id, "error": error})

    def _log(self, text: str) -> None:
        self.printed.tell(text.rstrip("\n"))


def _run_on_a_thread(job: Callable[[], None]) -> None:
    threading.Thread(target=job, name="indus-task", daemon=True).start()


def _cancelled() -> RpcProblem:
    return RpcProblem(protocol.ERROR_CANCELLED, "cancelled")
