"""The onion around one tool execution: enter stages forward, the tool once, exit stages in reverse."""

from typing import Callable, Iterable, Optional

from ..awaiting import settle
from ..contract import (
    AddonFaultListener,
    AddonId,
    AgentToolResult,
    ArgsRewrite,
    ExecuteFn,
    InterceptorStage,
    InterceptResult,
    ToolEnterContext,
    ToolExitContext,
    ToolInterceptor,
    addon_fault,
)
from ..faults import FaultStream, describe
from ..framework import tool_result
from .outcomes import read_enter


def interceptor(addon: AddonId, match: str, stage: InterceptorStage) -> ToolInterceptor:
    """Makes an interceptor; `match` is a tool's name or `*`."""
    return ToolInterceptor(addon, match, stage.enter, stage.exit)


class AddonInterceptorChain:
    """Folds the matching stages around tool calls. A failing stage is a `handler` fault and a no-op."""

    def __init__(self, interceptors: Iterable[ToolInterceptor] = ()) -> None:
        self._interceptors = tuple(interceptors)
        self._faults = FaultStream()

    @classmethod
    def from_interceptors(cls, interceptors: Iterable[ToolInterceptor]) -> "AddonInterceptorChain":
        """A chain over these, in this order."""
        return cls(interceptors)

    def on_fault(self, listener: AddonFaultListener) -> Callable[[], None]:
        """Adds a fault listener; answers its idempotent unsubscribe."""
        return self._faults.on_fault(listener)

    async def run(self, context: ToolEnterContext, execute: ExecuteFn) -> InterceptResult:
        """One call. Raises only what `execute` raised, when no exit stage recovered from it."""
        matching = [each for each in self._interceptors if each.match in (context.tool, "*")]
        args = context.args
        for each in matching:
            if each.enter is None:
                continue
            try:
                entering = ToolEnterContext(context.tool, context.call_id, args)
                outcome = read_enter(await settle(each.enter(entering)))
            except Exception as raised:  # A fence: stages are foreign code.
                self._report(each, context.tool, raised)
                continue
            if isinstance(outcome, ArgsRewrite):
                args = outcome.args
            elif outcome is not None and outcome.stop:
                return InterceptResult(blocked=outcome)
        result: Optional[AgentToolResult] = None
        error: Optional[BaseException] = None
        try:
            result = await settle(execute(args))
        except Exception as raised:  # The tool's own failure: the exit stages see it, then it goes on.
            error = raised
        for each in reversed(matching):
            if each.exit is None:
                continue
            try:
                leaving = ToolExitContext(context.tool, context.call_id, args, result, error)
                replacement = await settle(each.exit(leaving))
                if replacement is not None:
                    result, error = tool_result(replacement), None
            except Exception as raised:  # A fence: stages are foreign code.
                self._report(each, context.tool, raised)
        if error is not None:
            raise error
        return InterceptResult(result=result)

    def _report(self, each: ToolInterceptor, tool: str, error: BaseException) -> None:
        message = f"{each.addon} failed around the tool {tool}: {describe(error)}"
        self._faults.report(addon_fault("handler", message, each.addon, error))
