"""What changed from one account of a thing to the next: by the dotted names of its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

#: Names that stand for other things, are told already (by the entry's action and time, or by the state), or
#: are of the entry alone: how often something was tried, what a batch held, which way somebody looked.
SILENT: Final = frozenset(
    "digest hash commitment sha256 salt uuid version seq person owner sign_in authority"
    " closed_at escalated_at from attempts accepted refused way for players format played".split()
)


class Change(NamedTuple):
    """A value before and after."""

    name: str
    before: Any
    after: Any


def values_of(data: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value that people read, by its dotted name; a commitment to a text is none."""
    for name, value in data.items():
        path = f"{where}{name}"
        if name.rpartition("_")[2] in SILENT or name in SILENT:
            continue
        if isinstance(value, Mapping):
            if "sha256" not in value:
                yield from values_of(value, f"{path}.")
        else:
            yield path, value


def changes(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Change]:
    """Return what an account says otherwise than was known before; what was not known is no change."""
    return [
        Change(name, known[name], value)
        for name, value in values_of(data)
        if name in known and known[name] != value
    ]
