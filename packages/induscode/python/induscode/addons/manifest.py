"""Filesystem discovery: which addons lie in a workspace. Reads folder listings only; nothing is imported."""

import os
from typing import List, Optional

from .contract import ADDONS_DIR, ENTRY_EXTENSIONS, AddonDiscovery, AddonId, AddonSource, addon_id
from .path_hygiene import resolve_path

_PACKAGE_ENTRY = "__init__.py"


def discover_addons(folder: str) -> List[str]:
    """The absolute entry paths in a folder, one level deep, sorted by name: each `*.py` file, and the `__init__.py` of
    each folder that has one. Hidden entries and `__pycache__` are skipped. A folder that cannot be read holds none."""
    root = resolve_path(folder)
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return []
    entries = (_entry_of(os.path.join(root, name)) for name in names if not _is_hidden(name))
    return [entry for entry in entries if entry is not None]


def discover_sources(where: AddonDiscovery) -> List[AddonSource]:
    """What the workspace's addon folder holds, then the explicit paths, once each; the first mention of a path wins.
    An explicit path need not exist: loading it is what fails."""
    paths: List[str] = []
    base = None if where.workspace is None else resolve_path(where.workspace)
    if base is not None:
        paths += discover_addons(resolve_path(where.dir or ADDONS_DIR, base))
    for raw in where.explicit_paths:
        path = resolve_path(raw, base)
        paths.append(_entry_of(path) or path)
    return [AddonSource(id=derive_addon_id(path), path=path) for path in dict.fromkeys(paths)]


def derive_addon_id(path: str) -> AddonId:
    """The id that a path gives: of a package its folder's name, of a file its name without the ending."""
    folder, name = os.path.split(path)
    if name == _PACKAGE_ENTRY:
        return addon_id(os.path.basename(folder))
    stem, extension = os.path.splitext(name)
    return addon_id(stem if extension in ENTRY_EXTENSIONS else name)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


def _entry_of(path: str) -> Optional[str]:
    if os.path.isdir(path):
        entry = os.path.join(path, _PACKAGE_ENTRY)
        return entry if os.path.isfile(entry) else None
    return path if path.endswith(ENTRY_EXTENSIONS) and os.path.isfile(path) else None
