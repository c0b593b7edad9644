"""Background tasks: an addition to the seed, for addons that work alongside the session. Shapes only."""

from dataclasses import dataclass
from typing import Any, Callable, Literal, Mapping, Protocol, Sequence


class TaskContext(Protocol):
    """What a task's run receives.

    A plain function looks at `stopped`, or sleeps with `wait(seconds)`, which answers True once the task should end. An
    `async def` is cancelled instead and may sleep with `asyncio.sleep`.
    """

    @property
    def stopped(self) -> bool: ...

    def wait(self, seconds: float) -> bool: ...


@dataclass(frozen=True)
class BackgroundTask:
    """One recorded task. `grace_ms` is how long it may take to end: at most 5000 milliseconds.

    Without one of its `required_capabilities` it is not installed, and the rest of the addon is.
    """

    id: str
    description: str
    run: Callable[[TaskContext], Any]
    activation: Literal["session", "onDemand"] = "session"
    restart: Literal["never", "onFailure"] = "never"
    grace_ms: int = 1000
    required_capabilities: Sequence[Mapping[str, Any]] = ()
