"""Sessions and single tasks."""

import asyncio
import threading
from dataclasses import replace
from typing import Any, AsyncIterator, Iterator, List, Literal, Mapping, NoReturn, Optional, Sequence

from .events import Event, Fault, Message, Notice, Problem, Result, Usage, events_of, result_of
from .options import Answer, Ask, Mode, Question, command_line, option_names, refuse_unknown
from .process import IndusProcess
from .prompt import Prompt, content_of
from .task import Task


_CLOSED = "the session is closed: open another one, with resume for its conversation"
_INTERRUPT_S = 5.0
"""An interrupted task that has not ended after this time is ended with its process."""


class Session:
    """Open from the start until `close`, or as `with Session() as session`. Raises a Problem that says what to do first.

    Settings of the person and of the folder apply to whatever the options do not say. `command` starts `indus`; default: that
    of the package which this one came with, otherwise the one on PATH.
    """

    def __init__(
        self,
        *,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        model: Optional[str] = None,
        mode: Optional[Mode] = None,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        grant: Sequence[str] = (),
        ask: Optional[Ask] = None,
        output_schema: Optional[Mapping[str, Any]] = None,
        max_turns: Optional[int] = None,
        max_cost: Optional[float] = None,
        resume: Optional[str] = None,
        pieces: bool = False,
        command: Optional[Sequence[str]] = None,
        **unknown: NoReturn,
    ) -> None:
        refuse_unknown(unknown, option_names(Session))
        self._ask = ask
        self._state = threading.Lock()
        self._task: Optional[Task] = None
        self._interrupted: Optional[Task] = None
        self._lines: List[str] = []
        self._is_open = False
        self._gone: Optional[str] = None
        self._so_far = (0.0, Usage())
        """Cost and usage as of the last result."""
        self.id: str = ""
        """For `resume`. A fork and a rewind go on in another one."""
        line = command_line(
            command=command,
            model=model,
            mode=mode,
            allow=allow,
            deny=deny,
            grant=grant,
            asks=ask is not None,
            output_schema=output_schema,
            max_turns=max_turns,
            max_cost=max_cost,
            resume=resume,
            pieces=pieces,
        )
        self._process = IndusProcess(
            line, cwd=cwd, env=env, answers=self._answer, heard=self._heard, told=self._told, gone=self._ended
        )
        try:
            hello = self._process.ask({"subtype": "initialize", "toolNames": "own", "atEnd": "interrupt"})
        except BaseException:
            self._process.end()
            raise
        self.id = str(hello["session_id"])
        with self._state:
            self.notices: Sequence[str] = self._lines
            """Lines for a person from the start: problems in the settings, what was left out and why."""
            self._lines = []
            self._is_open = True

    def submit(self, prompt: Prompt) -> Task:
        """Begins a task; its result is `busy` if one is running. What was said to a person since the last one are its first events."""
        content = content_of(prompt)
        task = Task(self.interrupt)
        with self._state:
            if self._task is not None:
                task.tell(self._faulted("busy", "a task is running in this session"))
                return task
            lines, self._lines = self._lines, []
            for line in lines:
                task.tell(Notice("warning", line))
            if self._gone is not None:
                task.tell(self._faulted("broken", self._gone))
                return task
            self._task = task
        self._process.send({"type": "user", "message": {"role": "user", "content": content}})
        return task

    def steer(self, line: str) -> None:
        """Adds a line to the running task: the model reads it at its next call. If none runs, it waits for the next task."""
        self._request({"subtype": "steer", "text": line})

    def interrupt(self) -> None:
        """Ends the running task and its commands, in 5 s at the latest. Returns at once. Does nothing if none runs."""
        with self._state:
            task = self._task
            if task is None or task is self._interrupted:
                return
            self._interrupted = task
        self._process.order({"subtype": "interrupt"})
        threading.Thread(target=self._end_late, args=(task,), daemon=True).start()

    def _end_late(self, task: Task) -> None:
        if not task.ended.wait(_INTERRUPT_S):
            self._process.kill()

    def fork(self, back: int) -> str:
        """Goes on in a fork without the last `back` lines and what followed them; returns its id. Only while no task runs."""
        self.id = str(self._request({"subtype": "fork", "back": back})["session_id"])
        return self.id

    def rewind(self, line: int) -> str:
        """Takes conversation and files back to before line `line`, from 1. Returns what was done, or why nothing was."""
        if not isinstance(line, int) or line < 1:
            raise Problem(f"rewind takes the number of one of your lines, from 1; got {line!r}")
        done = self._request({"subtype": "run", "line": f"/rewind apply {line}"})
        self.id = str(done["session_id"])
        return str(done["said"])

    def _request(self, request: Message) -> Message:
        if not self._is_open:
            raise Problem(_CLOSED)
        return self._process.ask(request)

    def close(self) -> Sequence[str]:
        """Ends a running task, the session and its process. Returns what went wrong, one line each."""
        if self._is_open:
            self._is_open = False
            self.interrupt()
            self._process.end()
            self._gone = _CLOSED
        return self._lines

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, request: Message) -> Mapping[str, Any]:
        if request.get("subtype") != "can_use_tool" or self._ask is None:
            raise Problem(f"the program does not know the request {request.get('subtype')!r}")
        answer = self._ask(
            Question(request["tool_name"], request["input"], request["decision_reason"], request.get("agent_id"))
        )
        if not isinstance(answer, Answer) or answer.kind not in ("once", "session", "no"):
            raise TypeError(f'ask must return an Answer of the kind "once", "session" or "no", not {answer!r}')
        if answer.kind == "no":
            return {"behavior": "deny", "message": answer.reason}
        offers = [offer for offer in request["permission_suggestions"] if offer["destination"] == "session"]
        return {"behavior": "allow", "updatedPermissions": offers if answer.kind == "session" else []}

    def _heard(self, message: Message) -> None:
        if message.get("type") == "result":
            result = result_of(message)
            self.id = result.session_id or self.id
            self._so_far = (result.cost, result.usage)
            self._finish(replace(result, session_id=self.id))
        else:
            for event in events_of(message):
                self._tell(event)

    def _told(self, line: str) -> None:
        with self._state:
            task = self._task if self._is_open else None
            if task is None:
                self._lines.append(line)
        if task is not None:
            task.tell(Notice("warning", line))

    def _tell(self, event: Event) -> None:
        task = self._task
        if task is not None:
            task.tell(event)
        elif isinstance(event, Notice):
            self._told(event.text)

    def _ended(self, why: str) -> None:
        with self._state:
            self._gone = why
            is_wanted = self._task is not None and self._task is self._interrupted
        self._finish(self._ended_as("aborted") if is_wanted else self._faulted("broken", why))

    def _finish(self, result: Result) -> None:
        with self._state:
            task, self._task = self._task, None
        if task is not None:
            task.tell(result)

    def _faulted(self, kind: str, message: str) -> Result:
        return self._ended_as("faulted", Fault(kind, message))

    def _ended_as(self, kind: Literal["aborted", "faulted"], fault: Optional[Fault] = None) -> Result:
        cost, usage = self._so_far
        return Result(kind, session_id=self.id, fault=fault, cost=cost, usage=usage)


class Query:
    """One task in a session of its own: iterate, in a loop or an asynchronous one, or ask for its result. It runs once."""

    def __init__(self, prompt: Prompt, options: Mapping[str, Any]) -> None:
        self._prompt = prompt
        self._options = options
        self._is_begun = False
        self._result: Optional[Result] = None

    def result(self) -> Result:
        """Runs the task, unless somebody iterated over it already, and waits for its end. A loop that was left interrupted it."""
        if not self._is_begun:
            for _ in self:
                pass
        if self._result is None:
            raise Problem("a query runs once, and this one has no result: its loop has not ended, or its session was not opened")
        return self._result

    def __iter__(self) -> Iterator[Event]:
        self._begin()
        return self._events()

    def __aiter__(self) -> AsyncIterator[Event]:
        self._begin()
        return self._events_later()

    def _begin(self) -> None:
        if self._is_begun:
            raise Problem("a query runs once: create a new query for another task")
        self._is_begun = True

    def _events(self) -> Iterator[Event]:
        with Session(**self._options) as session:
            yield from _warnings(session.notices)
            task = session.submit(self._prompt)
            try:
                for event in task:
                    if isinstance(event, Result) and event.kind != "aborted":
                        yield from _warnings(session.close())
                    yield event
            finally:
                session.close()
                self._result = task.result()

    async def _events_later(self) -> AsyncIterator[Event]:
        loop = asyncio.get_running_loop()
        session = await loop.run_in_executor(None, lambda: Session(**self._options))
        task = None
        try:
            for notice in _warnings(session.notices):
                yield notice
            task = session.submit(self._prompt)
            async for event in task:
                if isinstance(event, Result) and event.kind != "aborted":
                    for notice in _warnings(await loop.run_in_executor(None, session.close)):
                        yield notice
                yield event
        finally:
            await loop.run_in_executor(None, session.close)
            self._result = None if task is None else await loop.run_in_executor(None, task.result)


def _warnings(lines: Sequence[str]) -> List[Notice]:
    return [Notice("warning", line) for line in lines]


def query(prompt: Prompt, **options: Any) -> Query:
    """Runs one task; the options are those of `Session`. Raises a Problem for an unknown one, or if the session cannot be opened."""
    known = option_names(Session)
    refuse_unknown([name for name in options if name not in known], known)
    return Query(prompt, options)
