"""Whether a shoe is in doubt, so that what is dealt from it waits: who knows that registers here."""

from collections.abc import Callable

from tables.models import Shoe

#: Names what the shoe is in doubt by, such as the number of a request; None where it is not.
Doubt = Callable[[Shoe], str | None]

_doubts: list[Doubt] = []


def add_doubt(doubt: Doubt) -> None:
    """Ask this function, from now on, whether a shoe is in doubt whenever a round of it begins."""
    if doubt not in _doubts:
        _doubts.append(doubt)


def doubt_about(shoe: Shoe) -> str | None:
    """Return by what a shoe is in doubt, or None."""
    return next((named for doubt in _doubts if (named := doubt(shoe)) is not None), None)
