"""What lies over the verdicts of a round: who decides such things registers here; this app names none."""

from collections.abc import Callable

from tables.models import Round

Overlay = Callable[[Round], frozenset[str]]

_overlays: list[Overlay] = []


def add_overlay(overlay: Overlay) -> None:
    """Ask this function, from now on, which kinds of bet are void in a round whatever was dealt."""
    if overlay not in _overlays:
        _overlays.append(overlay)


def kinds_void(round_: Round) -> frozenset[str]:
    """Return the kinds of bet that are void in a round, whoever says so."""
    return frozenset[str]().union(*(overlay(round_) for overlay in _overlays))
