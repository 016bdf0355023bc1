"""The rows that a request names in its path or its body."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Prefetch, QuerySet

from audit.models import Complaint, Incident, Ruling, RulingKind, RulingRound
from audit.queries.decisions import loaded_decisions
from tables.api.base import ApiView
from tables.api.problems import bad_field, unknown
from tables.models import GameTable, Round, RoundStatus, Shoe
from tables.rules.round_id import BadRoundId, make_round_id, parse_round_id

NUMBER = re.compile(r"[IR]-[0-9]{4,9}", re.ASCII)
OF_A_SHOE = frozenset({RulingKind.VOID_RANGE, RulingKind.VOID_SHOE})


def table_in_path(view: ApiView, code: str) -> GameTable:
    """Find the table that the path names.

    :raises Problem: 403 if the key is another table's, 404 if there is none.
    """
    view.check_table(code)
    table = (
        GameTable.objects.select_related("rulebook").filter(code=code).first() if code.isprintable() else None
    )
    if table is None:
        raise unknown(f"There is no table {code[:20]!r}.")
    return table


def incidents() -> QuerySet[Incident]:
    """Return incidents with what is shown of them."""
    return Incident.objects.select_related("table", "shoe", "round", "rulebook", "hold", "reported_by")


def rulings() -> QuerySet[Ruling]:
    """Return rulings with what is shown of them."""
    return Ruling.objects.select_related(
        "table", "shoe", "incident", "reinstates", "requested_by", "decided_by"
    )


def incident_in_path(view: ApiView, number: str) -> Incident:
    """Find the incident that the path names.

    :raises Problem: 404 if there is none that the one who asks may see.
    """
    found = incidents().filter(view.own("table"), number=number).first() if NUMBER.fullmatch(number) else None
    if found is None:
        raise unknown(f"There is no incident {number[:20]!r}; an incident's number looks like I-0457.")
    return found


def ruling_in_path(view: ApiView, number: str) -> Ruling:
    """Find the ruling that the path names.

    :raises Problem: 404 if there is none that the one who asks may see.
    """
    found = rulings().filter(view.own("table"), number=number).first() if NUMBER.fullmatch(number) else None
    if found is None:
        raise unknown(f"There is no ruling {number[:20]!r}; a ruling's number looks like R-0192.")
    return found


def with_details(ruling: Any) -> Any:
    """Give a ruling its rounds, its progress, and what its table was told, as they are now."""
    found: Any = (
        rulings()
        .prefetch_related(
            Prefetch("rounds", RulingRound.objects.select_related("round").order_by("pk"), "rounds_read"),
            Prefetch("decisions", loaded_decisions().order_by("pk"), "decisions_read"),
        )
        .get(pk=ruling.pk)
    )
    done = [row for row in found.rounds_read if row.applied_at is not None]
    found.progress = {
        "rounds": len(found.rounds_read),
        "rounds_done": len(done),
        "bets": sum(row.bets_count for row in found.rounds_read),
        "bets_done": sum(row.bets_count for row in done),
        "given_minor": sum(row.given_minor for row in done),
        "taken_minor": sum(row.taken_minor for row in done),
    }
    return found


def rounds_in_body(names: Sequence[str], *, where: str = "rounds[{}]") -> list[Round]:
    """Find the rounds that a body names, in one query; `where` says which field names each.

    :raises Problem: 400, naming the first that is no ID or of which there is no round.
    """
    written = []
    for place, name in enumerate(names):
        try:
            key = parse_round_id(name)
        except BadRoundId as error:
            raise bad_field(where.format(place), error.code.value, error.message) from error
        written.append(make_round_id(key.table, key.gaming_date, key.shoe, key.number))
    rounds = Round.objects.select_related("table__rulebook", "shoe", "rulebook")
    found = {round_.public_id: round_ for round_ in rounds.filter(public_id__in=written)}
    for place, name in enumerate(written):
        if name not in found:
            raise bad_field(where.format(place), "round/unknown", f"There is no round {name}.")
    return [found[name] for name in dict.fromkeys(written)]


def round_in_body(name: str, table: GameTable) -> Round:
    """Find the round of a table that a body names.

    :raises Problem: 400 if there is none.
    """
    [round_] = rounds_in_body([name], where="round")
    if round_.table_id != table.pk:
        raise bad_field("round", "round/table", f"{round_.public_id} was not played on {table.code}.")
    return round_


def shoe_in_body(name: str) -> Shoe:
    """Find the shoe that a body names.

    :raises Problem: 400 if there is none.
    """
    shoe = Shoe.objects.select_related("table__rulebook").filter(public_id=name.strip().upper()).first()
    if shoe is None:
        raise bad_field("shoe", "shoe/unknown", f"There is no shoe {name!r}.")
    return shoe


def complaint_in_body(name: str) -> Complaint:
    """Find the complaint that a body names.

    :raises Problem: 400 if there is none.
    """
    complaint = Complaint.objects.filter(number=name.strip().upper()).first()
    if complaint is None:
        raise bad_field("complaint", "complaint/unknown", f"There is no complaint {name!r}.")
    return complaint


def draft_in_body(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Find everything that a thought-of ruling names, ready for the service.

    :raises Problem: 400, naming the field.
    """
    kind = RulingKind(fields["kind"])
    shoe = shoe_in_body(fields["shoe"]) if "shoe" in fields else None
    rounds = rounds_in_body(fields["rounds"])
    if not rounds and shoe is not None and kind in OF_A_SHOE:
        of_shoe = Round.objects.filter(shoe=shoe, number__gte=fields["first"], number__lte=fields["last"])
        rounds = list(of_shoe.exclude(status=RoundStatus.VOIDED.value).order_by("number"))
    return {
        "kind": kind,
        "rounds": rounds,
        "table": _table_of(fields, rounds, shoe),
        "facts": fields["facts"],
        "shoe": shoe,
        "reinstates": _numbered(rulings(), "reinstates", fields),
    }


def incident_in_body(fields: Mapping[str, Any]) -> Incident | None:
    """Find the incident that a body names, if it names one.

    :raises Problem: 400 if there is none.
    """
    return _numbered(incidents(), "incident", fields)


def _table_of(fields: Mapping[str, Any], rounds: Sequence[Round], shoe: Shoe | None) -> GameTable:
    if rounds:
        return rounds[0].table
    if shoe is not None:
        return shoe.table
    tables = GameTable.objects.select_related("rulebook")
    table = tables.filter(code=fields["table"]).first() if "table" in fields else None
    if table is None:
        raise bad_field("table", "ruling/table", "Name rounds, a shoe, or the code of a table.")
    return table


def _numbered(rows: QuerySet[Any], name: str, fields: Mapping[str, Any]) -> Any:
    if name not in fields:
        return None
    found = rows.filter(number=fields[name]).first()
    if found is None:
        raise bad_field(name, f"{name}/unknown", f"There is no {fields[name]!r}.")
    return found
