"""From a request to the addon's own function, and from what it returns to the answer."""

from typing import TYPE_CHECKING, Any, Callable, Mapping, Set, Tuple, cast

from .._protocol import ERROR_PARAMS, METHOD_COMMAND, METHOD_ENTER, METHOD_EVENT, METHOD_EXIT, METHOD_TOOL
from ..contract import (
    ArgsRewrite,
    CommandContext,
    FrameworkHandles,
    RegisteredManifest,
    ToolEnterContext,
    ToolExitContext,
)
from ..dispatch.outcomes import read_decision, read_enter
from ..framework import AgentToolResult, tool_result
from .request import Request
from .wire import RpcProblem, decode, encode

if TYPE_CHECKING:
    from .._messages import Empty, EnterResult, EventResult, ExitResult, ToolResult

Finish = Callable[[Any], Mapping[str, object]]
Started = Tuple[Any, Finish]


class ToolFailure(Exception):
    """What a failed tool said; the `error` of a ToolExitContext."""


class Contributions:
    """What one addon recorded, ready to be called."""

    def __init__(
        self, recorded: RegisteredManifest, handles: FrameworkHandles, log: Callable[[str], None]
    ) -> None:
        self._recorded = recorded
        self._handles = handles
        self._log = log
        self._told: Set[int] = set()
        # Of two with one name the first stays, as in the host's registry.
        self._commands = {each.name: each for each in reversed(recorded.commands)}
        self._tools = {each.name: each for each in reversed(recorded.tools)}
        self._tasks = {each.id: each for each in reversed(recorded.tasks)}
        self._starts: Mapping[str, Callable[[Request], Started]] = {
            METHOD_EVENT: self._event,
            METHOD_ENTER: self._enter,
            METHOD_EXIT: self._exit,
            METHOD_TOOL: self._tool,
            METHOD_COMMAND: self._command,
        }

    def start(self, request: Request) -> Started:
        """Calls the function that a request is for. Answers what it returned, maybe an awaitable, and what makes the
        settled value the request's result. Raises RpcProblem `params`, or what the function raises."""
        return self._starts[request.method](request)

    def task(self, request: Request) -> Any:
        """The background task that a request names."""
        return self._named(request, "id", self._tasks, "task")

    def _event(self, request: Request) -> Started:
        place, each = self._numbered(request, "handler", self._recorded.subscriptions)
        if _param(request, "event", str) != each.event:
            raise _misfit(request, f"handler {place} to be one of {request.params['event']}", f"one of {each.event}")
        payload = _param(request, "payload", dict)
        handler = each.handler
        value = handler.run(payload)
        if handler.kind == "observe":
            return value, _nothing
        if handler.kind == "gate":
            return value, _decision
        return value, lambda replacement: self._replacement(request, place, payload, replacement)

    def _replacement(self, request: Request, place: int, payload: Any, replacement: Any) -> "EventResult":
        if replacement is None:
            if place not in self._told:
                self._told.add(place)
                self._log(
                    f"the transform of {request.params['event']} returned None, which counts as no change; "
                    "return the payload to change it"
                )
            return {}
        if not isinstance(replacement, Mapping):
            raise TypeError(f"expected a transform to return the payload, found {type(replacement).__name__}")
        # The same object may have been changed in place, so it is compared with what came.
        if replacement is payload and encode(payload) == encode(decode(request.line)["params"]["payload"]):
            return {}
        return {"payload": replacement if isinstance(replacement, dict) else dict(replacement)}

    def _enter(self, request: Request) -> Started:
        place, each = self._numbered(request, "interceptor", self._recorded.interceptors)
        if each.enter is None:
            raise _misfit(request, f"interceptor {place} to have an enter stage", "none")
        context = ToolEnterContext(_param(request, "tool", str), _param(request, "callId", str), _args(request))
        return each.enter(context), _entered

    def _exit(self, request: Request) -> Started:
        place, each = self._numbered(request, "interceptor", self._recorded.interceptors)
        if each.exit is None:
            raise _misfit(request, f"interceptor {place} to have an exit stage", "none")
        result = _param(request, "result", dict)
        error = request.params.get("error")
        context = ToolExitContext(
            _param(request, "tool", str),
            _param(request, "callId", str),
            _args(request),
            AgentToolResult(result.get("content", []), result.get("isError") is True),
            None if error is None else ToolFailure(str(error)),
        )
        return each.exit(context), _exited

    def _tool(self, request: Request) -> Started:
        tool = self._named(request, "name", self._tools, "tool")
        return tool.execute(_args(request)), lambda value: _result(tool_result(value))

    def _command(self, request: Request) -> Started:
        command = self._named(request, "name", self._commands, "command")
        context = CommandContext(_param(request, "args", str), _param(request, "cwd", str), self._handles)
        return command.run(context), _nothing

    def _numbered(self, request: Request, key: str, recorded: Any) -> Tuple[int, Any]:
        place = _param(request, key, int)
        if not 0 <= place < len(recorded):
            raise _misfit(request, f"{key} to be an index below {len(recorded)}", str(place))
        return place, recorded[place]

    def _named(self, request: Request, key: str, recorded: Mapping[str, Any], what: str) -> Any:
        name = _param(request, key, str)
        found = recorded.get(name)
        if found is None:
            raise _misfit(request, f"a {what} of this addon ({', '.join(recorded) or 'it has none'})", repr(name))
        return found


def _param(request: Request, key: str, kind: type) -> Any:
    value = request.params.get(key)
    # Exactly this type: True is an int to isinstance.
    if type(value) is not kind:
        found = "nothing" if key not in request.params else type(value).__name__
        raise _misfit(request, f"{key} to be {kind.__name__}", found)
    return value


def _args(request: Request) -> Any:
    if "args" not in request.params:
        raise _misfit(request, "args", "nothing")
    return request.params["args"]


def _misfit(request: Request, expected: str, found: str) -> RpcProblem:
    return RpcProblem(ERROR_PARAMS, f"{request.method}: expected {expected}, found {found}")


def _nothing(_value: Any) -> "Empty":
    return {}


def _decision(value: Any) -> "EventResult":
    decision = read_decision(value)
    if decision is None:
        return {}
    answer: "EventResult" = {"stop": bool(decision.stop)}
    if decision.reason is not None:
        answer["reason"] = str(decision.reason)
    return answer


def _entered(value: Any) -> "EnterResult":
    outcome = read_enter(value)
    if isinstance(outcome, ArgsRewrite):
        return {"args": outcome.args}
    return cast("EnterResult", _decision(outcome))  # A decision is told alike by both.


def _exited(value: Any) -> "ExitResult":
    return {} if value is None else {"result": _result(tool_result(value))}


def _result(result: AgentToolResult) -> "ToolResult":
    return {"content": result.blocks, "isError": bool(result.is_error)}
