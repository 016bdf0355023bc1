"""The rulebooks shipped with the product, each a YAML document beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from tables.rules.document import parse_rulebook
from tables.rules.rulebook import Rulebook

SHIPPED: Final = (
    "insurance",
    "insurance-no-commission",
    "commission",
    "live-commission",
    "live-no-commission",
    "no-commission",
)

_HERE: Final = Path(__file__).parent


def shipped_text(rulebook_id: str) -> str:
    """Give a shipped rulebook's document as it is written.

    :raises KeyError: if no such rulebook is shipped.
    """
    if rulebook_id not in SHIPPED:
        raise KeyError(rulebook_id)
    return (_HERE / f"{rulebook_id}.yaml").read_text(encoding="utf-8")


@cache
def load_shipped(rulebook_id: str) -> Rulebook:
    """Give a shipped rulebook; the same object every time.

    Its rows are not checked again one by one: the tests have done so for every shipped document.

    :raises KeyError: if no such rulebook is shipped.
    """
    return parse_rulebook(shipped_text(rulebook_id), check_every_row=False)
