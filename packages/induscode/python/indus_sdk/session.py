"""Sessions and single tasks."""

import asyncio
from typing import Any, AsyncIterator, Iterator, List, Mapping, Optional, Sequence

from .events import Event, Fault, Message, Notice, Problem, Result, events_of, result_of
from .options import Answer, Ask, Mode, Question, command_line
from .process import IndusProcess
from .task import Task


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
        ask: Optional[Ask] = None,
        output_schema: Optional[Mapping[str, Any]] = None,
        max_turns: Optional[int] = None,
        max_cost: Optional[float] = None,
        resume: Optional[str] = None,
        pieces: bool = False,
        command: Optional[Sequence[str]] = None,
    ) -> None:
        self._ask = ask
        self._task: Optional[Task] = None
        self._lines: List[str] = []
        self._is_open = False
        self._gone: Optional[str] = None
        self.id: str = ""
        """For `resume`. A fork and a rewind go on in another one."""
        line = command_line(
            command=command,
            model=model,
            mode=mode,
            allow=allow,
            deny=deny,
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
            hello = self._process.ask({"subtype": "initialize", "toolNames": "own"})
        except Problem as problem:
            self._process.end()
            raise Problem("\n".join([str(problem), *(self._lines if self._gone else [])])) from None
        self.id = str(hello["session_id"])
        self.notices: Sequence[str] = self._lines
        """Lines for a person from the start: problems in the settings, what was left out and why."""
        self._lines = []
        self._is_open = True

    def submit(self, prompt: str) -> Task:
        """Begins a task; its result is `busy` if one is running."""
        task = Task(self.interrupt)
        if self._task is not None:
            task.tell(self._faulted("busy", "a task is running in this session"))
        elif self._gone is not None:
            task.tell(self._faulted("broken", self._gone))
        else:
            self._task = task
            self._process.send({"type": "user", "message": {"role": "user", "content": prompt}})
        return task

    def steer(self, line: str) -> None:
        """Adds a line to the running task: the model reads it at its next call. If none runs, it waits for the next task."""
        self._process.ask({"subtype": "steer", "text": line})

    def interrupt(self) -> None:
        """Ends the running task and its commands. Does nothing if none runs."""
        if self._task is not None and self._gone is None:
            self._process.ask({"subtype": "interrupt"})

    def fork(self, back: int) -> str:
        """Goes on in a fork without the last `back` lines and what followed them; returns its id. Only while no task runs."""
        self.id = str(self._process.ask({"subtype": "fork", "back": back})["session_id"])
        return self.id

    def rewind(self, line: int) -> str:
        """Takes conversation and files back to before line `line`, from 1. Returns what was done, or why nothing was."""
        done = self._process.ask({"subtype": "run", "line": f"/rewind apply {line}"})
        self.id = str(done["session_id"])
        return str(done["said"])

    def close(self) -> Sequence[str]:
        """Ends a running task, the session and its process. Returns what went wrong, one line each."""
        if self._is_open:
            self._is_open = False
            try:
                self.interrupt()
            except Problem:
                pass  # it is gone: what it was doing has its result
            self._process.end()
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
        if not isinstance(answer, Answer):
            raise TypeError(f"ask must return an Answer, not {answer!r}")
        if answer.kind == "no":
            return {"behavior": "deny", "message": answer.reason}
        offers = [offer for offer in request["permission_suggestions"] if offer["destination"] == "session"]
        return {"behavior": "allow", "updatedPermissions": offers if answer.kind == "session" else []}

    def _heard(self, message: Message) -> None:
        if message.get("type") == "result":
            result = result_of(message)
            self.id = result.session_id
            self._finish(result)
        else:
            for event in events_of(message):
                self._tell(event)

    def _told(self, line: str) -> None:
        if self._is_open:
            self._tell(Notice("warning", line))
        else:
            self._lines.append(line)

    def _tell(self, event: Event) -> None:
        if self._task is not None:
            self._task.tell(event)

    def _ended(self, why: str) -> None:
        self._gone = why
        self._finish(self._faulted("broken", why))

    def _finish(self, result: Result) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.tell(result)

    def _faulted(self, kind: str, message: str) -> Result:
        return Result("faulted", session_id=self.id, fault=Fault(kind, message))


class Query:
    """One task in a session of its own: iterate, in a loop or an asynchronous one, or ask for its result. It runs once."""

    def __init__(self, prompt: str, options: Mapping[str, Any]) -> None:
        self._prompt = prompt
        self._options = options

    def result(self) -> Result:
        """Runs the task and waits for its end."""
        with Session(**self._options) as session:
            return session.submit(self._prompt).result()

    def __iter__(self) -> Iterator[Event]:
        with Session(**self._options) as session:
            yield from (Notice("warning", text) for text in session.notices)
            yield from session.submit(self._prompt)

    async def __aiter__(self) -> AsyncIterator[Event]:
        loop = asyncio.get_running_loop()
        session = await loop.run_in_executor(None, lambda: Session(**self._options))
        try:
            for text in session.notices:
                yield Notice("warning", text)
            async for event in session.submit(self._prompt):
                yield event
        finally:
            await loop.run_in_executor(None, session.close)


def query(prompt: str, **options: Any) -> Query:
    """Runs one task; the options are those of `Session`. Raises a Problem if the session cannot be opened."""
    return Query(prompt, options)
