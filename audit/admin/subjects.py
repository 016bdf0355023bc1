"""What a page of decisions is about, as its address names it: a round, a shoe or a table."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from tables.admin.record import Crumb, list_url
from tables.models import GameTable, Round, Shoe
from tables.queries.rulebooks import rulebook_in_force


@dataclass(frozen=True, slots=True)
class Subject:
    """The table, and the shoe and the round on it where the address names them."""

    table: GameTable
    shoe: Shoe | None
    round: Round | None

    @property
    def query(self) -> str:
        """Return the part of an address that names this subject."""
        if self.round is not None:
            return f"round={self.round.pk}"
        return f"shoe={self.shoe.pk}" if self.shoe is not None else f"table={self.table.pk}"

    @property
    def name(self) -> str:
        if self.round is not None:
            return _("round %(number)s") % {"number": self.round.number}
        if self.shoe is not None:
            return _("shoe %(id)s") % {"id": self.shoe.public_id}
        return _("table %(code)s") % {"code": self.table.code}

    @property
    def url(self) -> str:
        found: Any = self.round or self.shoe or self.table
        return reverse(f"admin:tables_{found._meta.model_name}_change", args=[found.pk])

    def crumbs(self) -> list[Crumb]:
        crumbs = [
            Crumb(
                _("Table %(code)s") % {"code": self.table.code}, list_url("round", f"table={self.table.code}")
            )
        ]
        if self.shoe is not None:
            crumbs.append(
                Crumb(
                    _("Shoe %(number)02d") % {"number": self.shoe.number},
                    reverse("admin:tables_shoe_change", args=[self.shoe.pk]),
                )
            )
        if self.round is not None:
            crumbs.append(Crumb(_("Round %(number)s") % {"number": self.round.number}, self.url))
        return crumbs

    def rulebook(self, now: Any) -> Any:
        """Return the version that judges: the round's own, else the one in force at the table."""
        if self.round is not None:
            return self.round.rulebook
        if self.shoe is not None:
            return self.shoe.rulebook
        return rulebook_in_force(self.table.rulebook.code, now) or self.table.rulebook


def read_subject(given: QueryDict) -> Subject:
    """Find what an address names.

    :raises Http404: if it names nothing that is there.
    """
    if key := read_key(given, "round"):
        rounds = Round.objects.select_related("table__rulebook", "shoe", "rulebook", "dealer")
        found = rounds.filter(pk=key).first()
        if found is not None:
            return Subject(found.table, found.shoe, found)
    elif key := read_key(given, "shoe"):
        shoe = Shoe.objects.select_related("table__rulebook", "rulebook").filter(pk=key).first()
        if shoe is not None:
            return Subject(shoe.table, shoe, None)
    elif key := read_key(given, "table"):
        table = GameTable.objects.select_related("rulebook").filter(pk=key).first()
        if table is not None:
            return Subject(table, None, None)
    raise Http404("no round, shoe or table of that key")


def read_key(given: QueryDict, name: str) -> int | None:
    """Read a key from an address; None where it is none."""
    text = given.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
