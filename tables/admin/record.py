"""A record's page described as data: badges, facts and tables, drawn by one template for all models."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tables.models import GameTable


class Fact(NamedTuple):
    """A name and what it is."""

    name: Any
    value: Any


class Crumb(NamedTuple):
    """A step on the way to a page."""

    word: Any
    url: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """A sheet of facts."""

    title: Any
    facts: Sequence[Fact]
    note: Any = ""


class Column(NamedTuple):
    name: Any
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A sheet with a table."""

    title: Any
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    note: Any = ""
    empty: Any = ""
    more: SafeString | str = ""

    @property
    def cells(self) -> list[list[tuple[Column, Any]]]:
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Prose:
    """A sheet of text as it is, such as a document or an event's body."""

    title: Any
    text: str
    note: Any = ""


@dataclass(frozen=True, slots=True)
class Record:
    """All of a page: what the record is called, its state, its facts, what belongs to it."""

    title: Any
    crumbs: Sequence[Crumb] = ()
    badges: Sequence[SafeString] = ()
    lead: Sequence[Fact] = ()
    main: Sequence[Facts | Rows | Prose] = ()
    side: Sequence[Facts | Rows | Prose] = ()
    is_id: bool = True
    note: SafeString | str = field(default="")


def link(model: str, pk: Any, text: Any, *, is_id: bool = False) -> SafeString:
    """Link to a record of this app."""
    url = reverse(f"admin:tables_{model}_change", args=[pk])
    return format_html('<a class="bc-link{}" href="{}">{}</a>', " bc-id" if is_id else "", url, text)


def over(first: Any, second: Any) -> SafeString:
    """Put one value of a row over another, said more quietly, so that a table needs a column less."""
    return format_html('{}<span class="bc-under">{}</span>', first, second)


def list_url(model: str, query: str = "") -> str:
    """Return the address of a model's list, with a query if given."""
    url = reverse(f"admin:tables_{model}_changelist")
    return f"{url}?{query}" if query else url


def all_of(url: str, words: Any = "") -> SafeString:
    """Lead from the first rows to where all of them are."""
    return format_html('<a class="bc-link" href="{}">{}</a>', url, words or _("All"))


def table_link(table: GameTable) -> SafeString:
    """Link to a table by its code."""
    return link("gametable", table.pk, table.code)
