"""What a terminal would show. An addon's process has none: the names are here so that what imports them runs."""

from induscode.addons.framework import Component, KeyId

__all__ = ["Component", "KeyId"]
