"""The default loader: imports an addon's source under a name of its own. Also the door of the path helpers."""

import itertools
import os
import sys
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import CodeType, ModuleType
from typing import Any, Callable, Literal, Optional, Sequence, cast

from .contract import AddonManifest, ModuleLoader
from .path_hygiene import expand_path, resolve_path, scrub_invisible

__all__ = ["LoadedManifest", "create_module_loader", "expand_path", "resolve_path", "scrub_invisible"]

_PREFIX = "_indus_addon_"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class LoadedManifest:
    """What an addon's module declares."""

    register: Callable[[Any], Any]
    id: Optional[str] = None
    version: Optional[str] = None
    on_failure: Optional[Literal["allow", "block"]] = None


def create_module_loader() -> ModuleLoader:
    """The loader that imports a `.py` file, or a folder with `__init__.py`.

    Each load runs the source again, under a fresh module name that stays in `sys.modules`. `load` raises what the
    module raises, FileNotFoundError, or a TypeError that says what the module lacks.
    """
    return _ImportingLoader()


class SourceOnlyLoader(SourceFileLoader):
    """Compiles the source that is there, always.

    Python would rather run `__pycache__/x.pyc`, and runs an "unchecked" one without a look at the source. A repository
    can bring such a file, and trust in `x.py` does not cover it.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _ImportingLoader:
    async def load(self, path: str) -> AddonManifest:
        entry = _entry_file(resolve_path(path))
        return _read_manifest(_run_module(entry), entry)


class _AddonFinder:
    """Finds the modules inside addon packages, so that they too are compiled from their sources."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        if path is None or not fullname.startswith(_PREFIX):
            return None
        for folder in path:
            spec = FileFinder(
                folder, (ExtensionFileLoader, list(EXTENSION_SUFFIXES)), (SourceOnlyLoader, [".py"])
            ).find_spec(fullname)
            if spec is not None:
                return spec
        # Stops the search: the finders behind this one would read __pycache__.
        raise ModuleNotFoundError(f"no module {fullname.rpartition('.')[2]!r} in {', '.join(path)}", name=fullname)


def _entry_file(path: str) -> str:
    if os.path.isdir(path):
        path = os.path.join(path, "__init__.py")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{path}: expected a Python file, or a folder with __init__.py; found none")
    return path


def _run_module(entry: str) -> ModuleType:
    if not any(isinstance(finder, _AddonFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AddonFinder())
    folder, file = os.path.split(entry)
    is_package = file == "__init__.py"
    stem = os.path.basename(folder) if is_package else os.path.splitext(file)[0]
    readable = "".join(character if character.isalnum() else "_" for character in stem)
    name = f"{_PREFIX}{next(_numbers)}_{readable}"
    spec = spec_from_file_location(
        name,
        entry,
        loader=SourceOnlyLoader(name, entry),
        submodule_search_locations=[folder] if is_package else None,
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{entry}: Python has no loader for it", path=entry)
    module = module_from_spec(spec)
    # Dataclasses and relative imports look their module up here while it runs.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _read_manifest(module: ModuleType, entry: str) -> LoadedManifest:
    for holder in (module, getattr(module, "manifest", None), getattr(module, "default", None)):
        register = getattr(holder, "register", None)
        if callable(register):
            return LoadedManifest(register, _text(holder, "id"), _text(holder, "version"), _policy(holder, module))
    raise TypeError(
        f"{entry}: expected a function register(surface), or a `manifest` or `default` object with one; found none"
    )


def _policy(holder: Any, module: ModuleType) -> Optional[Literal["allow", "block"]]:
    """Addons in TypeScript write onFailure. A word that is misread here would open what the author meant to close."""
    places = ((place, name) for place in (holder, module) for name in ("on_failure", "onFailure"))
    value = next((getattr(place, name) for place, name in places if hasattr(place, name)), None)
    if value is not None and value not in ("allow", "block"):
        raise TypeError(f'on_failure must be "allow" or "block"; got {value!r}')
    return cast('Optional[Literal["allow", "block"]]', value)


def _text(holder: Any, name: str) -> Optional[str]:
    value = getattr(holder, name, None)
    return value if isinstance(value, str) else None
