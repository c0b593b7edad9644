"""The recording surface that `register` receives. It records intent; it never acts."""

from typing import Any, Callable, List, Literal, Mapping, Optional, Sequence

from ._protocol import EVENTS
from .contract import (
    AddonCommand,
    AddonId,
    AddonTool,
    CommandSpec,
    EventSubscription,
    FrameworkHandles,
    GateHandler,
    HookEvent,
    HookHandler,
    InterceptorStage,
    ObserveHandler,
    RegisteredManifest,
    ToolInterceptor,
    TransformHandler,
)
from .host_services import HostServices
from .tasks import BackgroundTask, TaskContext
from .ui import AddonUi


Kind = Literal["tool", "command", "hook", "task"]
"""What an unfit part would have been."""

OnUnfit = Callable[[Kind, str, Exception], None]
"""Hears of something that cannot be recorded: its kind, its name, and what does not fit."""


def create_surface(
    id: AddonId,
    handles: Optional[FrameworkHandles] = None,
    host: Optional[HostServices] = None,
    on_unfit: Optional[OnUnfit] = None,
) -> "RecordingSurface":
    """A fresh surface of one addon. Without `on_unfit`, as in an author's tests, wrong shapes raise at the line that passes them."""
    return RecordingSurface(id, handles, host, on_unfit)


class RecordingSurface:
    """Records what one addon contributes, stamped with its id."""

    def __init__(
        self,
        id: AddonId,
        handles: Optional[FrameworkHandles] = None,
        host: Optional[HostServices] = None,
        on_unfit: Optional[OnUnfit] = None,
    ) -> None:
        self._id = id
        self._on_unfit = on_unfit
        self._handles = FrameworkHandles() if handles is None else handles
        self._host = HostServices() if host is None else host
        self._subscriptions: List[EventSubscription] = []
        self._interceptors: List[ToolInterceptor] = []
        self._commands: List[AddonCommand] = []
        self._tools: List[AddonTool] = []
        self._tasks: List[BackgroundTask] = []

    @property
    def id(self) -> AddonId:
        """Whose surface this is."""
        return self._id

    @property
    def handles(self) -> FrameworkHandles:
        """How the addon acts on the session."""
        return self._handles

    @property
    def host(self) -> HostServices:
        """What the host offers an addon in addition to the handles: files, network, secrets, alerts, its log."""
        return self._host

    @property
    def ui(self) -> AddonUi:
        """The console at which the person sits: status items, shapes and questions."""
        return self._host.ui

    def on(self, event: HookEvent, handler: HookHandler) -> None:
        """Binds a handler to an event."""
        with self._recording("hook", event):
            if event not in EVENTS:
                # Imported when needed: it would add to every start.
                from difflib import get_close_matches

                near = get_close_matches(str(event), EVENTS, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"the events are {', '.join(EVENTS)}"
                raise ValueError(f"surface.on: unknown event {event!r}; {hint}")
            if not isinstance(handler, (ObserveHandler, TransformHandler, GateHandler)):
                raise TypeError(
                    f"surface.on({event!r}): expected an ObserveHandler, TransformHandler or GateHandler, "
                    f"found {type(handler).__name__}; wrap it, e.g. ObserveHandler(run)"
                )
            if isinstance(handler, GateHandler) and handler.on_failure not in (None, "allow", "block"):
                raise TypeError(
                    f'surface.on({event!r}): on_failure must be "allow" or "block", found {handler.on_failure!r}'
                )
            self._subscriptions.append(EventSubscription(self._id, event, handler))

    def intercept_tool(self, name: str, stage: InterceptorStage) -> None:
        """Puts a stage around a tool, or around every tool with `*`."""
        with self._recording("hook", f"intercept:{name}"):
            _require_text(name, "surface.intercept_tool: a tool's name or \"*\"")
            if not isinstance(stage, InterceptorStage):
                raise TypeError(
                    f"surface.intercept_tool({name!r}): expected an InterceptorStage, found {type(stage).__name__}"
                )
            self._interceptors.append(ToolInterceptor(self._id, name, stage.enter, stage.exit))

    def add_command(self, name: str, spec: CommandSpec) -> None:
        """Contributes a slash command; `name` is without the slash."""
        with self._recording("command", name):
            _require_text(name, "surface.add_command: a name")
            if not isinstance(spec, CommandSpec):
                raise TypeError(
                    f"surface.add_command({name!r}): expected a CommandSpec, found {type(spec).__name__}"
                )
            self._commands.append(AddonCommand(self._id, name, spec.summary, spec.run, spec.argument_hint))

    def add_tool(self, card: AddonTool) -> None:
        """Contributes a tool: an AgentTool, or an object with its four attributes."""
        with self._recording("tool", _name_of(card)):
            lacking = [name for name in ("name", "description", "parameters", "execute") if not hasattr(card, name)]
            if lacking:
                found = type(card).__name__
                raise TypeError(f"surface.add_tool: expected an AgentTool, found {found} without {lacking[0]}")
            _require_text(card.name, "surface.add_tool: a name")
            _require_needs(getattr(card, "required_capabilities", ()), f"surface.add_tool({card.name!r})")
            self._tools.append(card)

    def add_task(
        self,
        id: str,
        description: str,
        run: Callable[[TaskContext], Any],
        activation: Literal["session", "onDemand"] = "session",
        restart: Literal["never", "onFailure"] = "never",
        grace_ms: int = 1000,
        required_capabilities: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Contributes a background task (an addition to the seed)."""
        with self._recording("task", id):
            _require_text(id, "surface.add_task: an id")
            _require_needs(required_capabilities, f"surface.add_task({id!r})")
            needs = tuple(required_capabilities)
            self._tasks.append(BackgroundTask(id, description, run, activation, restart, grace_ms, needs))

    def manifest(self) -> RegisteredManifest:
        """What was recorded up to now. A later call on the surface does not alter it."""
        return RegisteredManifest(
            tuple(self._subscriptions),
            tuple(self._interceptors),
            tuple(self._commands),
            tuple(self._tools),
            tuple(self._tasks),
        )

    def _recording(self, kind: Kind, name: Any) -> "_Part":
        return _Part(kind, name, self._on_unfit)


class _Part:
    """What is recorded within: if that raises, it costs this part alone, where somebody listens."""

    def __init__(self, kind: Kind, name: Any, on_unfit: Optional[OnUnfit]) -> None:
        self._kind = kind
        self._name = name if isinstance(name, str) and name != "" else "without a name"
        self._on_unfit = on_unfit

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: Any, error: Optional[BaseException], _trace: Any) -> bool:
        if self._on_unfit is None or not isinstance(error, Exception):
            return False
        self._on_unfit(self._kind, self._name, error)
        return True


def _name_of(card: Any) -> Any:
    try:
        return getattr(card, "name", None)
    except Exception:  # A property of the author's: reading it again says what it raised.
        return None


def _require_text(value: Any, what: str) -> None:
    if not isinstance(value, str) or value == "":
        raise TypeError(f"{what} must be a non-empty string, found {value!r}")


def _require_needs(value: Any, what: str) -> None:
    is_list = isinstance(value, (list, tuple))
    if not is_list or not all(isinstance(each, Mapping) and isinstance(each.get("kind"), str) for each in value):
        raise TypeError(
            f'{what}: required_capabilities must be a list of mappings such as {{"kind": "files", "write": True}}, found {value!r}'
        )
