"""Finds, loads and registers addons, folds what they recorded, and builds the two runtimes. For authors' tests; `indus` itself
runs each addon in its own process and folds on its side, by the same rules."""

from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, List, Optional, Set, Tuple, Union

from .awaiting import settle
from .contract import (
    AddonCommand,
    AddonDiscovery,
    AddonFaultKind,
    AddonFaultListener,
    AddonId,
    AddonManifest,
    AddonSource,
    AddonTool,
    EventSubscription,
    FrameworkHandles,
    ModuleLoader,
    RegisteredManifest,
    ToolInterceptor,
    addon_fault,
    addon_id,
)
from .dispatch.event_dispatcher import AddonEventDispatcher
from .dispatch.tool_interceptor import AddonInterceptorChain
from .faults import FaultStream, describe
from .loader import create_module_loader
from .manifest import discover_sources
from .surface import create_surface

RESERVED_ACTIONS = ("help", "quit", "exit", "clear", "model", "compact")
"""The names that no addon gets for a command."""


@dataclass(frozen=True)
class AddonRegistry:
    """What all loaded addons contribute, in load order, without the contributions that lost a conflict."""

    subscriptions: Tuple[EventSubscription, ...] = ()
    interceptors: Tuple[ToolInterceptor, ...] = ()
    commands: Tuple[AddonCommand, ...] = ()
    tools: Tuple[AddonTool, ...] = ()


@dataclass(frozen=True)
class AddonSurfaceBundle:
    """The wired runtime that `load_all` answers. `loaded` are the ids of what registered, in order."""

    dispatch: AddonEventDispatcher
    interceptors: AddonInterceptorChain
    commands: Tuple[AddonCommand, ...]
    tools: Tuple[AddonTool, ...]
    loaded: Tuple[AddonId, ...]


def create_addon_host(
    *,
    loader: Optional[ModuleLoader] = None,
    handles: Optional[FrameworkHandles] = None,
    dispatcher: Callable[[Iterable[EventSubscription]], Any] = AddonEventDispatcher.from_subscriptions,
    chain: Callable[[Iterable[ToolInterceptor]], Any] = AddonInterceptorChain.from_interceptors,
    reserved_actions: Iterable[str] = RESERVED_ACTIONS,
) -> "AddonHost":
    """Builds a host. Every dependency has a live default; a test replaces just the one that it needs."""
    return AddonHost(
        loader=create_module_loader() if loader is None else loader,
        handles=FrameworkHandles() if handles is None else handles,
        dispatcher=dispatcher,
        chain=chain,
        reserved_actions=reserved_actions,
    )


class AddonHost:
    """Loads addons and folds them together. A failing addon is a fault, and contributes nothing."""

    def __init__(
        self,
        *,
        loader: ModuleLoader,
        handles: FrameworkHandles,
        dispatcher: Callable[[Iterable[EventSubscription]], Any],
        chain: Callable[[Iterable[ToolInterceptor]], Any],
        reserved_actions: Iterable[str],
    ) -> None:
        self._loader = loader
        self._handles = handles
        self._make_dispatcher = dispatcher
        self._make_chain = chain
        self._reserved = frozenset(reserved_actions)
        self._command_names: Set[str] = set(self._reserved)
        self._tool_names: Set[str] = set()
        self._faults = FaultStream()
        self._registry = AddonRegistry()
        self._loaded: List[AddonId] = []

    @property
    def registry(self) -> AddonRegistry:
        """What was folded up to now."""
        return self._registry

    def on_fault(self, listener: AddonFaultListener) -> Callable[[], None]:
        """Adds a listener to the one fault stream; answers its idempotent unsubscribe."""
        return self._faults.on_fault(listener)

    async def load_all(self, where: Union[str, AddonDiscovery]) -> AddonSurfaceBundle:
        """Discovers, loads, registers and folds, then builds the runtimes. A text is the workspace."""
        discovery = AddonDiscovery(workspace=where) if isinstance(where, str) else where
        for source in discover_sources(discovery):
            await self.load_one(source)
        registry = self._registry
        dispatch = self._make_dispatcher(registry.subscriptions)
        interceptors = self._make_chain(registry.interceptors)
        for runtime in (dispatch, interceptors):
            # A test's own runtime need not have a fault stream.
            if hasattr(runtime, "on_fault"):
                runtime.on_fault(self._faults.report)
        return AddonSurfaceBundle(
            dispatch, interceptors, registry.commands, registry.tools, tuple(self._loaded)
        )

    async def load_one(self, source: AddonSource) -> Optional[RegisteredManifest]:
        """Loads, registers and folds one addon; answers what it recorded, or None where that failed."""
        try:
            module = await self._loader.load(source.path)
        except (Exception, SystemExit) as error:  # A fence: importing runs foreign code.
            self._fail("load", source.id, f"{source.path} cannot be loaded: {describe(error)}", error)
            return None
        id = _declared_id(module, source)
        surface = create_surface(id, self._handles)
        try:
            await settle(module.register(surface))
        except (Exception, SystemExit) as error:  # A fence: register is foreign code.
            self._fail("register", id, f"{id} failed to register: {describe(error)}", error)
            return None
        recorded = surface.manifest()
        self._fold(id, recorded)
        self._loaded.append(id)
        return recorded

    def _fold(self, id: AddonId, recorded: RegisteredManifest) -> None:
        before = self._registry
        commands = [
            each for each in recorded.commands if self._claims(self._command_names, each.name, id, "command")
        ]
        tools = [each for each in recorded.tools if self._claims(self._tool_names, each.name, id, "tool")]
        self._registry = replace(
            before,
            subscriptions=before.subscriptions + recorded.subscriptions,
            interceptors=before.interceptors + recorded.interceptors,
            commands=before.commands + tuple(commands),
            tools=before.tools + tuple(tools),
        )

    def _claims(self, taken: Set[str], name: str, id: AddonId, what: str) -> bool:
        if name not in taken:
            taken.add(name)
            return True
        owner = "indus itself" if what == "command" and name in self._reserved else "an earlier addon"
        self._faults.report(addon_fault("conflict", f"{id}: the {what} {name} belongs to {owner}", id))
        return False

    def _fail(self, kind: AddonFaultKind, id: AddonId, message: str, error: BaseException) -> None:
        self._faults.report(addon_fault(kind, message, id, error))


def _declared_id(module: AddonManifest, source: AddonSource) -> AddonId:
    declared = getattr(module, "id", None)
    return addon_id(declared) if isinstance(declared, str) and declared else source.id
