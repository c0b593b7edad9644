"""One rule for callbacks that may be plain or `async`."""

from typing import Any


async def settle(value: Any) -> Any:
    """`value`, or what it resolves to."""
    return await value if hasattr(value, "__await__") else value
