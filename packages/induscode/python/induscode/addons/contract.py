"""The contract of the addons layer: every shape that an addon or its host meets. No I/O, no dispatch."""

from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    ClassVar,
    Literal,
    Mapping,
    NewType,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Union,
)

from ._protocol import HookEvent
from .framework import (
    AgentMessage,
    AgentTool,
    AgentToolResult,
    Component,
    KeyId,
    Model,
    ThinkingLevel,
)
from .tasks import BackgroundTask, TaskContext

if TYPE_CHECKING:
    from .host_services import HostServices
    from .ui import AddonUi

__all__ = [
    "ADDONS_DIR", "BUNDLED_NAMESPACES", "ENTRY_EXTENSIONS", "AddonCommand", "AddonDiscovery", "AddonFault",
    "AddonFaultKind", "AddonFaultListener", "AddonId", "AddonManifest", "AddonSource", "AddonSurface", "AddonTool",
    "AgentMessage", "AgentTool", "AgentToolResult", "ArgsRewrite", "CommandContext", "CommandSpec", "Component",
    "DispatchOutcome", "EventSubscription", "ExecOutcome", "ExecuteFn", "FrameworkHandles", "GateDecision",
    "GateHandler", "HookEvent", "HookHandler", "HookKind", "InterceptResult", "InterceptorStage", "KeyId", "Model",
    "ModuleLoader", "ObserveHandler", "RegisteredManifest", "Schema", "ThinkingLevel", "ToolEnterContext",
    "ToolExitContext", "ToolInterceptor", "TransformHandler", "addon_fault", "addon_id", "empty_manifest",
]

ADDONS_DIR = ".indus/addons"
"""The folder of a workspace that is scanned."""

ENTRY_EXTENSIONS = (".py",)
"""What a bare module file may end with."""

BUNDLED_NAMESPACES = ("indusagi.agent", "indusagi.ai", "indusagi.tui")
"""The names that an earlier edition bridged into its sandbox. For introspection only: nothing reads it."""

Schema = Mapping[str, Any]
"""A JSON Schema."""

AddonId = NewType("AddonId", str)
"""Names an addon to people and in faults."""

AddonTool = AgentTool
"""A contributed tool is the framework's own tool, not a wrapper."""


def addon_id(text: str) -> AddonId:
    """Marks a string as an addon's id. Checks nothing."""
    return AddonId(text)


# Events and their handlers.

HookKind = Literal["observe", "transform", "gate"]


@dataclass(frozen=True)
class GateDecision:
    """What a gate decides: `stop=True` vetoes."""

    stop: bool
    reason: Optional[str] = None


@dataclass(frozen=True)
class ObserveHandler:
    """Sees the payload. What it returns is ignored."""

    kind: ClassVar[HookKind] = "observe"
    run: Callable[[Any], Any]


@dataclass(frozen=True)
class TransformHandler:
    """Returns the payload to pass on. None leaves it unchanged."""

    kind: ClassVar[HookKind] = "transform"
    run: Callable[[Any], Any]


@dataclass(frozen=True)
class GateHandler:
    """Returns a GateDecision, a mapping with `stop`, or None to let the thing pass.

    A gate that raises lets the thing pass, and the failure is reported; with `on_failure="block"` it stops it. None
    leaves that to the person's settings.
    """

    kind: ClassVar[HookKind] = "gate"
    run: Callable[[Any], Any]
    on_failure: Optional[Literal["allow", "block"]] = None


HookHandler = Union[ObserveHandler, TransformHandler, GateHandler]


@dataclass(frozen=True)
class EventSubscription:
    """One recorded handler, with its owner."""

    addon: AddonId
    event: HookEvent
    handler: HookHandler


@dataclass(frozen=True)
class DispatchOutcome:
    """The payload after every transform, and the first veto if there was one."""

    payload: Any
    gate: Optional[GateDecision] = None


# The tool boundary.


@dataclass(frozen=True)
class ToolEnterContext:
    """One tool call, before it runs."""

    tool: str
    call_id: str
    args: Any


@dataclass(frozen=True)
class ToolExitContext:
    """One tool call, after it ran. `error` is what the tool raised; returning a result instead is a recovery.

    In `indus` a failed tool has a `result` as well, the one that the model would read.
    """

    tool: str
    call_id: str
    args: Any
    result: Optional[AgentToolResult] = None
    error: Optional[BaseException] = None


@dataclass(frozen=True)
class ArgsRewrite:
    """An enter stage's new arguments."""

    args: Any


@dataclass(frozen=True)
class InterceptorStage:
    """The two halves of an interceptor.

    `enter(ToolEnterContext)` answers an ArgsRewrite, a GateDecision, a mapping with `args` or `stop`, or None.
    `exit(ToolExitContext)` answers the result that replaces the tool's, or None. Both may be `async`.
    """

    enter: Optional[Callable[[ToolEnterContext], Any]] = None
    exit: Optional[Callable[[ToolExitContext], Any]] = None


@dataclass(frozen=True)
class ToolInterceptor:
    """One recorded interceptor: `match` is a tool's name or `*`."""

    addon: AddonId
    match: str
    enter: Optional[Callable[[ToolEnterContext], Any]] = None
    exit: Optional[Callable[[ToolExitContext], Any]] = None


@dataclass(frozen=True)
class InterceptResult:
    """What the chain made of one call. `result` is None where `blocked` is not."""

    result: Optional[AgentToolResult] = None
    blocked: Optional[GateDecision] = None


ExecuteFn = Callable[[Any], Union[AgentToolResult, Awaitable[AgentToolResult]]]
"""Runs the real tool with its final arguments."""


# Commands, and what an addon acts through.


@dataclass(frozen=True)
class ExecOutcome:
    """The outcome of a shell line. `code` is None if a signal killed it."""

    stdout: str
    stderr: str
    code: Optional[int]


@dataclass(frozen=True)
class FrameworkHandles:
    """How an addon acts on the session. A handle that the run mode does not offer is None.

    In `indus`, a plain function gets the answer itself: `outcome = handles.exec("ls")` waits. In an `async def` the
    same call answers an awaitable: `outcome = await handles.exec("ls")`. A refusal raises HostRefused.
    """

    send_message: Optional[Callable[[str], Any]] = None
    set_model: Optional[Callable[[str], Any]] = None
    set_thinking: Optional[Callable[[ThinkingLevel], Any]] = None
    render: Optional[Callable[[Component], Any]] = None
    exec: Optional[Callable[..., Any]] = None


@dataclass(frozen=True)
class CommandContext:
    """What a command's run receives: the text after its name, the working folder, the handles."""

    args: str
    cwd: str
    handles: FrameworkHandles = field(default_factory=FrameworkHandles)


@dataclass(frozen=True)
class CommandSpec:
    """A slash command without its name. `argument_hint` follows the name in help."""

    summary: str
    run: Callable[[CommandContext], Any]
    argument_hint: Optional[str] = None


@dataclass(frozen=True)
class AddonCommand:
    """One recorded command; `name` has no slash."""

    addon: AddonId
    name: str
    summary: str
    run: Callable[[CommandContext], Any]
    argument_hint: Optional[str] = None


# What an addon is, and what it registered.


@dataclass(frozen=True)
class RegisteredManifest:
    """What one addon recorded, in order."""

    subscriptions: Tuple[EventSubscription, ...] = ()
    interceptors: Tuple[ToolInterceptor, ...] = ()
    commands: Tuple[AddonCommand, ...] = ()
    tools: Tuple[AddonTool, ...] = ()
    tasks: Tuple[BackgroundTask, ...] = ()


def empty_manifest() -> RegisteredManifest:
    """A manifest of nothing."""
    return RegisteredManifest()


class AddonSurface(Protocol):
    """What `register` receives. It records; it never acts."""

    @property
    def id(self) -> AddonId: ...

    @property
    def handles(self) -> FrameworkHandles: ...

    @property
    def host(self) -> "HostServices":
        """Files, network, secrets, alerts and the addon's log (an addition to the seed)."""

    @property
    def ui(self) -> "AddonUi":
        """Status items, shapes and questions (an addition to the seed)."""

    def on(self, event: HookEvent, handler: HookHandler) -> None: ...

    def intercept_tool(self, name: str, stage: InterceptorStage) -> None: ...

    def add_command(self, name: str, spec: CommandSpec) -> None: ...

    def add_tool(self, card: AddonTool) -> None: ...

    def add_task(
        self,
        id: str,
        description: str,
        run: Callable[[TaskContext], Any],
        activation: Literal["session", "onDemand"] = "session",
        restart: Literal["never", "onFailure"] = "never",
        grace_ms: int = 1000,
        required_capabilities: Sequence[Mapping[str, Any]] = (),
    ) -> None: ...

    def manifest(self) -> RegisteredManifest: ...


class AddonManifest(Protocol):
    """What a loaded addon provides. `id`, `version` and `on_failure` are optional strings that the host reads.

    With `on_failure = "block"` what the addon guards stays closed while it fails or is in quarantine: its gates, whatever
    each says by itself, its transforms of events that can be stopped, and its interceptors.
    """

    def register(self, surface: AddonSurface) -> Union[None, Awaitable[None]]: ...


class ModuleLoader(Protocol):
    """Turns a source's path into its manifest; raises an error otherwise."""

    async def load(self, path: str) -> AddonManifest: ...


@dataclass(frozen=True)
class AddonSource:
    """Where one addon is: a derived id and an absolute entry path."""

    id: AddonId
    path: str


@dataclass(frozen=True)
class AddonDiscovery:
    """Where to look. `dir` replaces ADDONS_DIR below `workspace`; `explicit_paths` come last."""

    workspace: Optional[str] = None
    dir: Optional[str] = None
    explicit_paths: Sequence[str] = ()


# Faults.

AddonFaultKind = Literal["load", "register", "handler", "command", "conflict"]


@dataclass(frozen=True)
class AddonFault:
    """What went wrong in an addon. It is a value: reported to listeners, never raised."""

    kind: AddonFaultKind
    message: str
    addon: Optional[AddonId] = None
    cause: Optional[BaseException] = None


AddonFaultListener = Callable[[AddonFault], Any]


def addon_fault(
    kind: AddonFaultKind,
    message: str,
    addon: Optional[AddonId] = None,
    cause: Optional[BaseException] = None,
) -> AddonFault:
    """Makes a fault."""
    return AddonFault(kind, message, addon, cause)
