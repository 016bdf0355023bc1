"""Free text of the journal: entries hold a salted commitment, so that the text may go and they stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

SALT_BYTES: Final = 16
#: Under these names people write what they like, at whatever depth of an entry's data.
FREE_TEXT: Final = frozenset(
    "answer because comment contact decision description details message name note reason text words".split()
)


@dataclass(frozen=True, slots=True)
class Committed:
    """A text taken out of an entry, with where it stood and the salt of its commitment."""

    path: str
    salt: bytes
    text: str


def commitment(salt: bytes, text: str) -> dict[str, str]:
    """Return what stands in an entry for a text: nobody finds the text from it without the salt."""
    return {"sha256": sha256(salt + text.encode()).hexdigest()}


def take_out_texts(
    data: Mapping[str, Any], new_salt: Callable[[], bytes]
) -> tuple[dict[str, Any], list[Committed]]:
    """Return an entry's data with commitments in the place of its free texts, and those texts."""
    taken: list[Committed] = []
    return _take_out(data, "", new_salt, taken), taken


def _take_out(
    data: Mapping[str, Any], where: str, new_salt: Callable[[], bytes], taken: list[Committed]
) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in data.items():
        path = f"{where}{name}"
        if isinstance(value, Mapping):
            kept[name] = _take_out(value, f"{path}.", new_salt, taken)
        elif isinstance(value, str) and value and name in FREE_TEXT:
            one = Committed(path, new_salt(), value)
            taken.append(one)
            kept[name] = commitment(one.salt, one.text)
        else:
            kept[name] = value
    return kept


def committed_at(data: Mapping[str, Any], path: str) -> str | None:
    """Return the commitment that stands at a path of an entry's data, or None."""
    value: Any = data
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value.get("sha256") if isinstance(value, Mapping) else None
