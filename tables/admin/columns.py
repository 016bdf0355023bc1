"""How a list's column says what it is called and whether it holds numbers."""

from collections.abc import Callable
from typing import Any

Method = Callable[[Any, Any], Any]


def column(name: Any, *, is_number: bool = False) -> Callable[[Method], Method]:
    """Name a list's column; numbers stand on the right."""

    def mark(method: Method) -> Method:
        method.short_description = name  # type: ignore[attr-defined]
        method.is_number = is_number  # type: ignore[attr-defined]
        return method

    return mark
