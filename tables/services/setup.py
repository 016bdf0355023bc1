"""Setting the house up: rulebooks published, tables made and changed, each step named and journalled."""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.db.models import Max

from tables import locks
from tables.models import DebitPolicy, GameTable, Rulebook, TableState, TableStatus
from tables.models.fields import MAX_STAKE_MINOR
from tables.models.gametable import TABLE_CODE_PATTERN
from tables.queries.rulebooks import rulebook_in_force, rules_of
from tables.rules.document import parse_rulebook
from tables.services.actors import Actor
from tables.services.journal import moment, record

SET_UP = "tables.set_up_table"
CURRENCY_PATTERN = re.compile(r"[A-Z]{3}")
CAMERA_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,24}", re.ASCII)


class BadSetup(ValueError):
    """What was asked for cannot be set up: names the field and the rule."""

    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(f"{field}: {message} ({rule})")
        self.field, self.rule, self.message = field, rule, message


def content_hash(text: str) -> str:
    """Return the SHA-256 of a document, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@transaction.atomic
def publish_rulebook(*, text: str, effective_from: datetime, actor: Actor, at: datetime) -> Rulebook:
    """Publish a document as the next version of its rulebook, or return the one that says the same.

    :raises RulebookError: if the document is not sound.
    :raises BadSetup: if it would take effect before a version that is already published.
    """
    actor.require("tables.publish_rulebook")
    rules = parse_rulebook(text)
    digest = content_hash(text)
    versions = Rulebook.objects.filter(code=rules.id)
    same = versions.filter(content_hash=digest).first()
    if same is not None:
        return same
    latest = versions.aggregate(version=Max("version"), effective=Max("effective_from"))
    if latest["effective"] is not None and effective_from < latest["effective"]:
        raise BadSetup(
            "effective_from",
            "rulebook/versions",
            f"version {latest['version']} of {rules.id} takes effect only at {moment(latest['effective'])}",
        )
    rulebook = Rulebook.objects.create(
        code=rules.id,
        version=(latest["version"] or 0) + 1,
        content_hash=digest,
        document=text,
        effective_from=effective_from,
        published_at=at,
    )
    record(
        "rulebook.published",
        subject=rulebook,
        label=f"{rulebook.code}/{rulebook.version}",
        actor=actor,
        at=at,
        data={"content_hash": digest, "effective_from": moment(effective_from)},
    )
    return rulebook


@transaction.atomic
def set_up_table(
    *,
    code: str,
    name: str,
    currency: str,
    zone: str,
    rulebook_code: str,
    min_stake_minor: int,
    max_stake_minor: int,
    actor: Actor,
    at: datetime,
    gaming_day_starts_hour: int = 6,
    is_animation: bool = False,
) -> GameTable:
    """Make a table, closed and without a shoe.

    :raises BadSetup: naming the field that will not do.
    """
    actor.require(SET_UP)
    if not TABLE_CODE_PATTERN.fullmatch(code):
        raise BadSetup("code", "table/code", "2 to 6 letters and digits without I, L, O, U, a letter first")
    if GameTable.objects.filter(code=code).exists():
        raise BadSetup("code", "table/code", f"there is a table {code} already")
    if not name.strip() or len(name) > 80 or not name.isprintable():
        raise BadSetup("name", "table/name", "1 to 80 printable characters")
    if not CURRENCY_PATTERN.fullmatch(currency):
        raise BadSetup("currency", "table/currency", "three capital letters of ISO 4217")
    if not 0 <= gaming_day_starts_hour <= 23:
        raise BadSetup("gaming_day_starts_hour", "table/gaming-day", "an hour from 0 to 23")
    _check_zone(zone)
    _check_limits(min_stake_minor, max_stake_minor)
    table = GameTable.objects.create(
        code=code,
        name=name.strip(),
        currency=currency,
        zone=zone,
        gaming_day_starts_hour=gaming_day_starts_hour,
        is_animation=is_animation,
        rulebook=_in_force(rulebook_code, at),
        min_stake_minor=min_stake_minor,
        max_stake_minor=max_stake_minor,
        status=TableStatus.CLOSED.value,
    )
    TableState.objects.create(table=table)
    _record_table("table.set_up", table, actor, at)
    return table


@transaction.atomic
def change_table_rulebook(*, table: GameTable, rulebook_code: str, actor: Actor, at: datetime) -> GameTable:
    """Let a table play by another rulebook from its next shoe on.

    :raises BadSetup: if the rulebook is unknown, or a shoe lies on the table.
    """
    actor.require(SET_UP)
    state = locks.lock_table_state(table.pk)
    if state.shoe_id is not None:
        raise BadSetup(
            "table", "table/rulebook", "a shoe lies on the table; the rulebook changes between shoes"
        )
    table.rulebook = _in_force(rulebook_code, at)
    table.save(update_fields=["rulebook"])
    _record_table("table.rulebook_changed", table, actor, at)
    return table


@transaction.atomic
def change_table_limits(
    *,
    table: GameTable,
    actor: Actor,
    at: datetime,
    limits: tuple[int, int] | None = None,
    bets: Mapping[str, tuple[int, int]] | None = None,
) -> GameTable:
    """Set the limits of a table from now on, in minor units: of every bet, of single kinds, or both.

    What is None stays as it is. A kind of bet that `bets` does not name has the table's limits.

    :raises BadSetup: if they are no range, or the table's rulebook has no such bet.
    """
    actor.require(SET_UP)
    locks.lock_table_state(table.pk)
    table = GameTable.objects.select_related("rulebook").get(pk=table.pk)
    if limits is not None:
        _check_limits(*limits)
        table.min_stake_minor, table.max_stake_minor = limits
    if bets is not None:
        _check_bet_limits(table, bets)
        table.bet_limits = {kind: list(bets[kind]) for kind in sorted(bets)}
    table.save(update_fields=["min_stake_minor", "max_stake_minor", "bet_limits"])
    _record_table("table.limits_changed", table, actor, at)
    return table


def _check_bet_limits(table: GameTable, bets: Mapping[str, tuple[int, int]]) -> None:
    rules = rules_of(table.rulebook_id)
    for kind, of_kind in bets.items():
        if kind not in rules.kinds:
            raise BadSetup(f"bets.{kind[:40]}", "table/limits", f"{rules.id} has no such bet")
        _check_limits(*of_kind, f"bets.{kind}")


@transaction.atomic
def change_table_debit_policy(
    *, table: GameTable, policy: DebitPolicy, actor: Actor, at: datetime
) -> GameTable:
    """Set what is done from now on when the wallet has less than is to be taken back."""
    actor.require(SET_UP)
    locks.lock_table_state(table.pk)
    table.debit_policy = policy.value
    table.save(update_fields=["debit_policy"])
    _record_table("table.debit_policy_changed", table, actor, at)
    return table


@transaction.atomic
def change_table_camera(*, table: GameTable, camera: str, actor: Actor, at: datetime) -> GameTable:
    """Say which camera is above a table from its next round on; empty where it is called as the table.

    :raises BadSetup: if that is no name of a camera.
    """
    actor.require(SET_UP)
    if camera and not CAMERA_PATTERN.fullmatch(camera):
        raise BadSetup("camera", "table/camera", "1 to 24 letters, digits, dots, dashes and underscores")
    locks.lock_table_state(table.pk)
    table.camera = camera
    table.save(update_fields=["camera"])
    _record_table("table.camera_changed", table, actor, at)
    return table


def _in_force(code: str, at: datetime) -> Rulebook:
    rulebook = rulebook_in_force(code, at)
    if rulebook is None:
        known = ", ".join(sorted(set(Rulebook.objects.values_list("code", flat=True)))) or "none"
        raise BadSetup("rulebook", "table/rulebook", f"no rulebook {code} is in force; published: {known}")
    return rulebook


def _check_zone(zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadSetup("zone", "table/zone", f"{zone} is no time zone of the IANA list") from error


def _check_limits(smallest: int, largest: int, field: str = "limits") -> None:
    if not 1 <= smallest <= largest <= MAX_STAKE_MINOR:
        raise BadSetup(field, "table/limits", f"from {smallest} to {largest} is no range within 1 to 10^15")


def _record_table(action: str, table: GameTable, actor: Actor, at: datetime) -> None:
    data: dict[str, Any] = {
        "rulebook": [table.rulebook.code, table.rulebook.version],
        "min_stake_minor": table.min_stake_minor,
        "max_stake_minor": table.max_stake_minor,
        "bet_limits": table.bet_limits,
        "zone": table.zone,
        "currency": table.currency,
        "debit_policy": table.debit_policy,
        "camera": table.camera,
    }
    record(action, subject=table, label=table.code, actor=actor, at=at, data=data)
