"""The first request: loads the addon, has it register, and answers what it contributes."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, List

from .. import _protocol as protocol
from ..contract import addon_id
from ..host_services import HostServices, create_handles
from ..loader import create_module_loader
from ..surface import Kind, create_surface
from .contributions import Contributions
from .failure import describe_failure, describe_unfit, trace_of
from .host_port import PipeHost
from .registration import registration_of, skipped_card
from .request import Request
from .wire import RpcProblem

if TYPE_CHECKING:
    from .._messages import Registration, SkippedCard


@dataclass(frozen=True)
class Described:
    """A registered addon: what it answers, and what can be called from now on."""

    registration: "Registration"
    contributions: Contributions


@dataclass(frozen=True)
class AddonPlace:
    """Where an addon lies: its entry file, and its root, which is its folder or the file alone."""

    entry: str
    root: str


def describe_addon(request: Request, place: AddonPlace, host: PipeHost, log: Callable[[str], None]) -> Any:
    """Answers a Described, or an awaitable of one where `register` is `async`. Raises RpcProblem; its data's `kind` is
    `load` or `register` where the addon is at fault."""
    _check_params(request)
    cwd = request.params.get("cwd")
    host.workspace = cwd if isinstance(cwd, str) else os.getcwd()
    try:
        # The default loader never suspends, so one step runs it, without an event loop.
        create_module_loader().load(place.entry).send(None)
        raise RuntimeError("the loader waits for something")
    except StopIteration as loaded:
        module = loaded.value
    except BaseException as error:  # A fence: importing runs foreign code.
        raise _explained("load", error, place, log) from error
    handles = create_handles(host)
    unfit: "List[SkippedCard]" = []

    def leave_out(kind: Kind, name: str, error: Exception) -> None:
        unfit.append(skipped_card(kind, name, describe_unfit(error, place.root)))

    surface = create_surface(
        addon_id(module.id or request.params["id"]), handles, HostServices(host), leave_out
    )

    def described() -> Described:
        recorded = surface.manifest()
        return Described(registration_of(recorded, module, unfit), Contributions(recorded, handles, log))

    async def described_later(registering: Any) -> Described:
        try:
            await registering
        except (Exception, SystemExit) as error:  # A fence: register is foreign code.
            raise _explained("register", error, place, log) from error
        return described()

    try:
        registering = module.register(surface)
    except BaseException as error:  # A fence: register is foreign code.
        raise _explained("register", error, place, log) from error
    return described_later(registering) if hasattr(registering, "__await__") else described()


def _check_params(request: Request) -> None:
    versions = request.params.get("protocol")
    if not isinstance(versions, dict) or type(request.params.get("id")) is not str:
        raise RpcProblem(protocol.ERROR_PARAMS, "describe: expected an id, and protocol with min and max")
    low, high = versions.get("min"), versions.get("max")
    if type(low) is not int or type(high) is not int or not low <= protocol.PROTOCOL_VERSION <= high:
        raise RpcProblem(
            protocol.ERROR_PARAMS,
            f"describe: the host speaks protocol {low} to {high}, this Python kit speaks "
            f"{protocol.PROTOCOL_VERSION}; use the kit that came with the host",
        )


def _explained(kind: str, error: BaseException, place: AddonPlace, log: Callable[[str], None]) -> RpcProblem:
    log(trace_of(error))
    return RpcProblem(protocol.ERROR_FAILED, f"{kind}: {describe_failure(error, place.root)}", {"kind": kind})
