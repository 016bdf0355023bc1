"""Reading a rulebook's words: texts in both languages, sources, and passages that rules cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tables.rules.fields import Field
from tables.rules.rulebook import HOUSE, Passage, Text

_PASSAGE_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Passages:
    """The passages of one document, found by the short name rules cite them by."""

    def __init__(self, by_name: Mapping[str, Passage]) -> None:
        self._by_name = by_name
        self.by_id = {passage.id: passage for passage in by_name.values()}

    def cited(self, field: Field) -> Passage:
        """Find the passage a rule cites.

        :raises Unreadable: if there is no such passage.
        """
        name = field.text()
        passage = self._by_name.get(name)
        if passage is None:
            field.fail(f"there is no passage {name!r} under passages")
        return passage


def read_text(field: Field) -> Text:
    """Read the same words in English and Thai."""
    fields = field.mapping(["en", "th"])
    return Text(_flow(fields["en"].text()), _flow(fields["th"].text()))


def _flow(text: str) -> str:
    return " ".join(text.split())


def read_sources(field: Field | None) -> dict[str, Text]:
    """Read the documents the rules are taken from; `house` needs no entry."""
    if field is None:
        return {}
    sources = {}
    for name, entry in field.entries().items():
        with field.report.going_on():
            if name == HOUSE:
                entry.fail(f"{HOUSE!r} stands for the house itself and is no document")
            sources[name] = read_text(entry)
    return sources


def read_passages(field: Field, rulebook_id: str, sources: Mapping[str, Text]) -> Passages:
    """Read the passages; each is cited as `<rulebook>/<name>`."""
    by_name = {}
    for name, entry in field.entries().items():
        with field.report.going_on():
            if _PASSAGE_NAME.fullmatch(name) is None:
                entry.fail(f"{name!r} is no passage name such as blue-card")
            fields = entry.mapping(["source", "en", "th"], ["reading"])
            by_name[name] = Passage(
                id=f"{rulebook_id}/{name}",
                source=fields["source"].name_among([*sources, HOUSE], "source"),
                is_reading=fields["reading"].yes_or_no() if "reading" in fields else False,
                text=Text(_flow(fields["en"].text()), _flow(fields["th"].text())),
            )
    return Passages(by_name)
