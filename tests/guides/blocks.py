"""A guide as a list of fenced blocks, and an answer that is shown compared with a real one."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from casino.runtime.places import ROOT

FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: In an answer that is shown: what differs from run to run, and fields or items that are left out.
ANY: Final = "…"


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two fences: its language, its text, and the line it begins on."""

    language: str
    text: str
    line: int


def blocks_of(guide: str) -> list[Block]:
    """Read the fenced blocks of a guide in docs/, in their order."""
    text = Path(ROOT / "docs" / guide).read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start(2)) + 1) for found in FENCE.finditer(text)
    ]


def differences(shown: Any, real: Any, place: str = "answer") -> list[str]:
    """Name where a real answer is not the one that is shown."""
    if shown == ANY:
        return []
    if isinstance(shown, dict) and isinstance(real, dict):
        return _of_objects(shown, real, place)
    if isinstance(shown, list) and isinstance(real, list):
        return _of_lists(shown, real, place)
    if isinstance(shown, str) and isinstance(real, str) and ANY in shown:
        pattern = ".*".join(re.escape(part) for part in shown.split(ANY))
        return [] if re.fullmatch(pattern, real, re.DOTALL) else [f"{place}: {shown!r} is {real!r}"]
    is_same = shown == real and type(shown) is type(real)
    return [] if is_same else [f"{place}: {shown!r} is {real!r}"]


def _of_objects(shown: dict[str, Any], real: dict[str, Any], place: str) -> list[str]:
    wanted = shown.keys() - {ANY}
    found = [f"{place}.{name} is not there" for name in sorted(wanted - real.keys())]
    if ANY not in shown:
        found += [f"{place}.{name} is not shown" for name in sorted(real.keys() - wanted)]
    for name in wanted & real.keys():
        found += differences(shown[name], real[name], f"{place}.{name}")
    return found


def _of_lists(shown: list[Any], real: list[Any], place: str) -> list[str]:
    is_cut = bool(shown) and shown[-1] == ANY
    wanted = shown[:-1] if is_cut else shown
    if len(real) < len(wanted) or (len(real) > len(wanted) and not is_cut):
        return [f"{place} has {len(real)} items, not {len(wanted)}"]
    return [
        one
        for number, (here, there) in enumerate(zip(wanted, real, strict=False))
        for one in differences(here, there, f"{place}[{number}]")
    ]
