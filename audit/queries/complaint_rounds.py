"""Which round a complaint means, and what the record has of it to compare with."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import F, Func, QuerySet

from audit.models import Complaint, ComplaintAction
from audit.rules.complaints import Recorded, Said
from tables.models import Bet, GameTable, Player, Round, RoundStatus
from tables.rules.round_id import BadRoundId, make_round_id, parse_round_id

#: A number alone names the round of that number that was played nearest to the time of play.
NEAR: Final = timedelta(hours=24)
ENDED: Final = (RoundStatus.RESULTED, RoundStatus.SETTLED, RoundStatus.VOIDED)

#: Steps by which a player says something.
TELLING: Final = (ComplaintAction.FILED.value, ComplaintAction.INFORMATION.value)


@dataclass(frozen=True, slots=True)
class Meant:
    """The round a complaint means, its table and its player as far as they are known."""

    round: Round | None = None
    table: GameTable | None = None
    player: Player | None = None
    did_you_mean: tuple[str, ...] = ()  # rounds that exist, one slip away from what was typed


def find_meant(said: Said, chosen: Round | None = None) -> Meant:
    """Find the round, the table and the player that a complaint names.

    `chosen` is the round that whoever takes it down has before them, whatever the player calls it.
    """
    table = GameTable.objects.filter(code=said.table.strip().upper()).first() if said.table.strip() else None
    player = None
    if said.player.strip():
        player = Player.objects.filter(identity__reference=said.player.strip()).first()
    text = said.round.strip()
    if chosen is not None:
        return Meant(_rounds().get(pk=chosen.pk), chosen.table, player)
    near: tuple[str, ...]
    if text.isascii() and text.isdigit():
        found, near = _by_number(int(text), table, said), ()
    else:
        found, near = _by_id(text)
    if found is None and text:
        found = _by_platforms_id(text, table)
    if found is None and not text and said.bet.strip():
        bet = Bet.objects.filter(platform_bet_id=said.bet.strip()).first()
        found = _rounds().filter(pk=bet.round_id).first() if bet else None
    return Meant(found, found.table if found else table, player, near)


def _rounds() -> QuerySet[Round]:
    return Round.objects.select_related("table", "shoe", "rulebook", "dealer")


def _by_id(text: str) -> tuple[Round | None, tuple[str, ...]]:
    if not text:
        return None, ()
    try:
        public_id = make_round_id(*parse_round_id(text))
    except BadRoundId as error:
        known = _rounds().filter(public_id__in=error.candidates)
        return None, tuple(known.values_list("public_id", flat=True)[:3])
    return _rounds().filter(public_id=public_id).first(), ()


def _by_number(number: int, table: GameTable | None, said: Said) -> Round | None:
    """Find the round of a number on a table that was played nearest to the time named."""
    if table is None or said.played_at is None or not 1 <= number <= 999:
        return None
    near = _rounds().filter(
        table=table,
        number=number,
        betting_opened_at__gte=said.played_at - NEAR,
        betting_opened_at__lte=said.played_at + NEAR,
    )
    apart = Func(
        F("betting_opened_at") - said.played_at,
        function="EXTRACT",
        template="abs(EXTRACT(epoch FROM %(expressions)s))",
    )
    return near.order_by(apart, "pk").first()


def _by_platforms_id(text: str, table: GameTable | None) -> Round | None:
    """Find the one round that the platform calls so, as players read it in their history there."""
    called = _rounds().filter(platform_id=text)
    rows = list(called.filter(table=table)[:2]) or list(called[:2])
    return rows[0] if len(rows) == 1 else None


def missing_of(complaint: Complaint) -> list[str]:
    """Return what the rule asks for and a complaint does not name, by what was said last."""
    told = complaint.events.filter(action__in=TELLING).order_by("-version").first()
    return told.data.get("missing", []) if told else []


def recorded_of(meant: Meant, said: Said) -> Recorded | None:
    """Return what the record has of the round that is meant, for a comparison."""
    round_ = meant.round
    if round_ is None:
        return None
    bets = Bet.objects.filter(round=round_)
    count = bets.filter(player=meant.player).count() if meant.player is not None else 0
    is_player = count > 0 if said.player.strip() else None
    is_bet = None
    if said.bet.strip():
        mine = bets.filter(platform_bet_id=said.bet.strip())
        is_bet = (mine.filter(player=meant.player) if meant.player else mine).exists()
    return Recorded(
        begun_at=round_.betting_opened_at,
        ended_at=round_.resulted_at,
        table=round_.table.code,
        dealer=round_.dealer.name if round_.dealer else None,
        round_id=round_.public_id,
        number=round_.number,
        platform_id=round_.platform_id,
        is_player=is_player,
        is_bet=is_bet,
        bets=count,
    )
