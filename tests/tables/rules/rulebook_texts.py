"""Rulebook documents to be altered by tests, and the line a piece of text stands on."""

from tables.rulebooks import shipped_text

INSURANCE = shipped_text("insurance")
SMALL = "{when: {cards: 4}, odds: 1.5}"  # the row of the bet Small


def line_of(text: str, fragment: str) -> int:
    """Give the line on which a fragment first stands."""
    return text[: text.index(fragment)].count("\n") + 1


def swap(old: str, new: str, text: str = INSURANCE) -> str:
    """Replace the first occurrence of what must be there."""
    assert old in text, old
    return text.replace(old, new, 1)
