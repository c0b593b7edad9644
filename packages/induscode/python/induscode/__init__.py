"""The induscode kit for Python. `induscode.addons` is what an addon's author uses; it is imported on first use."""

from importlib import import_module
from typing import Any, List

_SUBMODULES = {"addons": "addons"}

__all__ = ["addons"]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{_SUBMODULES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted([*globals(), *_SUBMODULES])
