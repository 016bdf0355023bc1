"""What a ruling moves, as a file: CSV for a spreadsheet, JSON for a machine. Sums are whole minor units."""

import csv
from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse, JsonResponse

from audit.models import Ruling
from audit.queries.previews import Preview
from audit.queries.ruling_money import PlayerLine, RulingMoney, money_of_parts, money_of_ruling
from tables.models import GameTable

FORMATS = ("csv", "json")
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")


def export_preview(seen: Preview, kind: str, table: GameTable, form: str) -> HttpResponse:
    """Write what a ruling would move as a file of the form `csv` or `json`."""
    money = money_of_parts(seen.rounds)
    name = f"preview-{kind}-{table.code}"
    if form == "csv":
        return csv_of_players(money.players, table.currency, name)
    rounds = [
        {
            "round": part.round.public_id,
            "revision": part.base_revision,
            "bets": part.totals.bets,
            "given_minor": int(part.totals.given_minor),
            "taken_minor": int(part.totals.taken_minor),
        }
        for part in seen.rounds
    ]
    about = {"kind": kind, "table": table.code, "currency": table.currency, "preview_hash": seen.hash}
    return _json(about, rounds, money, name)


def export_ruling(ruling: Ruling, form: str) -> HttpResponse:
    """Write what a ruling moves, or moved, as a file of the form `csv` or `json`."""
    money = money_of_ruling(ruling)
    if form == "csv":
        return csv_of_players(money.players, ruling.table.currency, ruling.number)
    rows = ruling.rounds.select_related("round").order_by("round__number", "pk")
    rounds = [
        {
            "round": row.round.public_id,
            "revision": row.base_revision,
            "bets": row.bets_count,
            "given_minor": int(row.given_minor),
            "taken_minor": int(row.taken_minor),
            "state": row.status,
        }
        for row in rows
    ]
    about = {
        "ruling": ruling.number,
        "kind": ruling.kind,
        "state": ruling.status,
        "table": ruling.table.code,
        "currency": ruling.table.currency,
        "preview_hash": ruling.preview_hash,
    }
    return _json(about, rounds, money, ruling.number)


def csv_of_players(players: Iterable[PlayerLine], currency: str, name: str) -> HttpResponse:
    """Write what each player gets or gives as CSV."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    writer = csv.writer(response)
    writer.writerow(["player", "before_minor", "after_minor", "difference_minor", "currency"])
    for line in players:
        writer.writerow(
            [no_formula(line.reference), line.before_minor, line.after_minor, line.moved_minor, currency]
        )
    return response


def no_formula(text: str) -> str:
    """Put a quote before a text that a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(FORMULA_BEGINS) else text


def _json(about: dict[str, Any], rounds: list[dict[str, Any]], money: RulingMoney, name: str) -> HttpResponse:
    body = {
        **about,
        "rounds": rounds,
        "kinds": [
            {
                "kind": one.kind,
                "bets": one.bets,
                "before_minor": one.before_minor,
                "after_minor": one.after_minor,
                "difference_minor": one.moved_minor,
            }
            for one in money.kinds
        ],
        "players": [
            {
                "player": one.reference,
                "before_minor": one.before_minor,
                "after_minor": one.after_minor,
                "difference_minor": one.moved_minor,
            }
            for one in money.players
        ],
    }
    response = JsonResponse(body, json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response
