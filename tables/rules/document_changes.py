"""What one version of a rulebook's document says otherwise than another, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import yaml

_Loader: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # every scalar as the text it is written as
_NOT_A_RULE: Final = ("version",)


class Change(NamedTuple):
    """One field of the document: where it stands, what it was and what it is; None where it is not there."""

    path: str
    was: str | None
    now: str | None


def changes_between(before: str, after: str) -> tuple[Change, ...]:
    """List the fields in which two documents differ, in the order of the newer one, removed ones last."""
    old, new = (dict(_fields(yaml.load(text, Loader=_Loader))) for text in (before, after))
    changed = [Change(path, old.get(path), now) for path, now in new.items() if old.get(path) != now]
    removed = [Change(path, was, None) for path, was in old.items() if path not in new]
    return tuple(change for change in (*changed, *removed) if change.path not in _NOT_A_RULE)


def _fields(node: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Walk a document down to its scalars."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _fields(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for place, value in enumerate(node, start=1):
            yield from _fields(value, f"{path}[{place}]")
    else:
        yield path, " ".join(str(node).split())
