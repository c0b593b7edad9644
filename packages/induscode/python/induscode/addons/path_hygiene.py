"""The one normaliser of addon paths: pasted paths carry characters that nobody sees. As path-hygiene.ts has it."""

import os
from typing import Optional

INVISIBLE_CODE_POINTS = (
    0x00A0,  # no-break space
    0x2000,  # en quad
    0x2001,  # em quad
    0x2002,  # en space
    0x2003,  # em space
    0x2004,  # three-per-em space
    0x2005,  # four-per-em space
    0x2006,  # six-per-em space
    0x2007,  # figure space
    0x2008,  # punctuation space
    0x2009,  # thin space
    0x200A,  # hair space
    0x200B,  # zero-width space
    0x200C,  # zero-width non-joiner
    0x200D,  # zero-width joiner
    0x200E,  # left-to-right mark
    0x200F,  # right-to-left mark
    0x202F,  # narrow no-break space
    0x205F,  # medium mathematical space
    0x2060,  # word joiner
    0x3000,  # ideographic space
    0xFEFF,  # byte order mark
)
"""Invisible characters and blanks that no keyboard types, one by one, so that the list can be audited."""

_REMOVED = dict.fromkeys(INVISIBLE_CODE_POINTS)


def scrub_invisible(raw: str) -> str:
    """`raw` without INVISIBLE_CODE_POINTS and without ASCII blanks at its ends. Applying it twice changes nothing."""
    return raw.translate(_REMOVED).strip(" \t\n\v\f\r")


def expand_path(raw: str, home: Optional[str] = None) -> str:
    """The scrubbed path with a leading `~` as the home folder; as it stands where there is no home folder."""
    path = scrub_invisible(raw)
    if home is None:
        home = os.path.expanduser("~")
    if home in ("", "~"):
        return path
    if path == "~":
        return home
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


def resolve_path(raw: str, base: Optional[str] = None, home: Optional[str] = None) -> str:
    """The scrubbed, expanded and absolute form of a path. Lexical: nothing is looked up. `base` is the working folder
    unless given."""
    path = expand_path(raw, home)
    return os.path.abspath(path if base is None else os.path.join(base, path))
