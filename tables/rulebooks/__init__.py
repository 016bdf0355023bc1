"""The rulebooks shipped with the product, each a YAML document beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from tables.rules.document import RulebookError, parse_rulebook
from tables.rules.rulebook import Rulebook, UnknownRulebook

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


def find_rulebook(name: str) -> Rulebook:
    """Find a shipped rulebook by its id, or read one from a document by its path.

    :raises UnknownRulebook: if there is none, or the document is no rulebook; the message says which.
    """
    if name in SHIPPED:
        return load_shipped(name)
    try:
        if not Path(name).is_file():
            raise UnknownRulebook(f"{name!r} is neither a file nor one of {', '.join(SHIPPED)}")
        return parse_rulebook(Path(name).read_text(encoding="utf-8"))
    except RulebookError as error:
        raise UnknownRulebook(f"{name!r} is no rulebook: {error.problems[0]}") from error
    except (OSError, ValueError) as error:  # no text, no right to read it, no possible file name
        raise UnknownRulebook(f"{name!r} cannot be read as a document: {error}") from error
