"""The demo's house: its rulebooks, tables, machine keys and log-ins, each made once."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings

from casino.counterparts.platform.players import BAHT
from casino.counterparts.platform.room import HIGHEST_BAHT, LOWEST_BAHT
from tables.models import ApiKey, GameTable, Rulebook
from tables.rulebooks import SHIPPED, shipped_text
from tables.services.actors import SYSTEM
from tables.services.api_keys import RevokedApiKey, Scope, find_key, make_api_key
from tables.services.setup import publish_rulebook, set_up_table

ZONE: Final = "Asia/Bangkok"
CURRENCY: Final = "THB"


class DemoTable(NamedTuple):
    """One table of the demo and the rulebook it plays by."""

    code: str
    name: str
    rulebook: str


_NAMES: Final = (
    "Insurance",
    "Insurance, no commission",
    "Classic",
    "Live",
    "Live, no commission",
    "No commission",
)
DEMO_TABLES: Final = {
    f"B{number:02}": DemoTable(f"B{number:02}", name, rulebook)
    for number, (name, rulebook) in enumerate(zip(_NAMES, SHIPPED, strict=True), start=1)
}
LIVE_CODES: Final = ("B01", "B02")

# The shipped rules were always in force here, so that a day in the past has its rules.
ALWAYS: Final = datetime(2020, 1, 1, tzinfo=UTC)


def set_up_house(codes: list[str], *, now: datetime) -> dict[str, GameTable]:
    """Publish the shipped rulebooks and set up tables, where they are not there yet; return these by code.

    To be called before the house has its persons: from then on a rulebook takes two of them.
    """
    published = set(Rulebook.objects.values_list("code", flat=True))
    for rulebook in SHIPPED:
        if rulebook in published:
            continue
        publish_rulebook(text=shipped_text(rulebook), effective_from=ALWAYS, actor=SYSTEM, at=now)
    known = {table.code: table for table in GameTable.objects.filter(code__in=codes)}
    for code in codes:
        if code not in known:
            known[code] = _set_up(DEMO_TABLES[code], now)
    return known


def _set_up(table: DemoTable, now: datetime) -> GameTable:
    return set_up_table(
        code=table.code,
        name=table.name,
        currency=CURRENCY,
        zone=ZONE,
        rulebook_code=table.rulebook,
        min_stake_minor=LOWEST_BAHT * BAHT,
        max_stake_minor=HIGHEST_BAHT * BAHT,
        actor=SYSTEM,
        at=now,
    )


def platform_folder() -> Path:
    """Return the folder in which the platform keeps its keys and what its tables remember."""
    folder = Path(settings.BLUECARD_STATE) / "platform"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def key_of(table: GameTable, *, now: datetime) -> str:
    """Return the text of the platform's key for a table; a new one is made where the kept one is not good."""
    path = platform_folder() / f"{table.code}.key"
    text = path.read_text().strip() if path.exists() else ""
    if _is_good(text, table):
        return text
    _, text = make_api_key(
        label=f"demo platform, {table.code}", table=table, scopes=[Scope.FEED_WRITE], actor=SYSTEM, at=now
    )
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    return text


def _is_good(text: str, table: GameTable) -> bool:
    try:
        key: ApiKey | None = find_key(text)
    except RevokedApiKey:
        return False
    return key is not None and key.table_id == table.pk
