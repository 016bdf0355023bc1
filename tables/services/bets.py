"""Bets come in sets: judged by the same pure function as `judge` while they stream into COPY."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.db import connection
from django.db.models import Sum

from tables.models import Bet, BetCancellation, BetStatus, Deal, DealStatus, InsuranceOffer, Round
from tables.queries.rulebooks import rules_of
from tables.rules.acceptance import Refusal, Situation, refusal, stage_of
from tables.services.findings import find
from tables.services.play import Play, PlayRefused, is_over

DUPLICATE_BET = "duplicate_bet_id"
NOT_TAKEN_NOW = "after_result"

COPY_BETS = """COPY tables_bet (platform_bet_id, round_id, player_id, kind, phase, deal_id, stake_minor,
    odds_offered, odds_shown, status, refusal, placed_at, event_id) FROM STDIN"""


@dataclass(frozen=True, slots=True)
class Wager:
    """One bet as sent. `stake_minor` is in minor units; `phase` is empty for all but insurance."""

    id: str
    player: str
    kind: str
    phase: str
    stake_minor: int
    odds_shown: str
    placed_at: datetime
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class RefusedBet:
    """The answer to a bet that is not taken; its stake is the platform's to return."""

    id: str
    reason: str


def place_bets(
    play: Play, *, round_platform_id: str, wagers: Sequence[Wager], event_id: int
) -> list[RefusedBet]:
    """Take the bets of one event into a round, and return those refused, in the order sent.

    Bets placed before the bell by the table's own clock are taken until the round has its result.

    :raises PlayRefused: if this table never had such a round.
    """
    round_ = play.round
    if round_ is None or round_.platform_id != round_platform_id:
        round_ = Round.objects.filter(table=play.table, platform_id=round_platform_id).first()
        if round_ is None:
            raise PlayRefused("round", "round/unknown", f"{play.table.code} has no round {round_platform_id}")
    deal = (
        play.deal
        if round_ is play.round
        else Deal.objects.filter(round=round_, status=DealStatus.LIVE.value).first()
    )
    known, cancelled = _known_and_cancelled([wager.id for wager in wagers])
    _know_players(play, {wager.player for wager in wagers})
    book = _book_of(play, round_, {play.player_ids[wager.player] for wager in wagers})
    desk = _Desk(play, round_, deal)
    answers: dict[str, str] = {}
    # Within one event the order of judging is main bets, then what needs one; the rows keep the order sent.
    for wager in sorted(wagers, key=lambda wager: desk.stage(wager.kind)):
        if wager.id in known or wager.id in answers:
            continue
        accepted = book.setdefault(play.player_ids[wager.player], {})
        reason = desk.refuse(wager, accepted)
        answers[wager.id] = reason
        if not reason and wager.id not in cancelled:
            key = (wager.kind, wager.phase)
            accepted[key] = accepted.get(key, 0) + wager.stake_minor
    rows = _rows(play, round_, deal, desk, wagers, answers, cancelled, known, event_id)
    # Django lets COPY's errors through as psycopg's own, unless it is told to wrap them.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(COPY_BETS) as copy:
        for row in rows:
            copy.write_row(row)
    refused = [
        RefusedBet(wager.id, DUPLICATE_BET if wager.id in known else answers[wager.id])
        for wager in wagers
        if wager.id in known or answers[wager.id]
    ]
    _find_refusals(play, round_, refused)
    return refused


def _rows(
    play: Play,
    round_: Round,
    deal: Deal | None,
    desk: _Desk,
    wagers: Iterable[Wager],
    answers: dict[str, str],
    cancelled: set[str],
    known: set[str],
    event_id: int,
) -> Iterator[tuple[object, ...]]:
    written: set[str] = set()
    for wager in wagers:
        if wager.id in known or wager.id in written:
            known.add(wager.id)
            continue
        written.add(wager.id)
        reason = answers[wager.id]
        status = (
            BetStatus.REFUSED
            if reason
            else BetStatus.CANCELLED
            if wager.id in cancelled
            else BetStatus.ACCEPTED
        )
        odds = desk.offers.get((wager.kind, wager.phase)) if wager.phase else None
        yield (
            wager.id,
            round_.pk,
            play.player_ids[wager.player],
            wager.kind,
            wager.phase,
            deal.pk if deal and wager.phase else None,
            wager.stake_minor,
            str(odds) if odds is not None else "",
            wager.odds_shown,
            status.value,
            reason,
            wager.placed_at,
            event_id,
        )


class _Desk:
    """What bets of one round are judged against, read once for a whole event."""

    def __init__(self, play: Play, round_: Round, deal: Deal | None) -> None:
        self.rules = play.rules() if round_ is play.round else rules_of(round_.rulebook_id)
        self.round = round_
        self.is_over = is_over(round_)
        if round_ is play.round:
            self.openings = play.openings_of_deal()
        else:
            self.openings = list(InsuranceOffer.objects.filter(deal=deal)) if deal else []
        self.offers = {
            (kind, opening.phase): Fraction(odds)
            for opening in self.openings
            for kind, odds in opening.offered.items()
        }
        table = play.table
        default = (table.min_stake_minor, table.max_stake_minor)
        limits = dict.fromkeys(self.rules.kinds, default)
        limits |= {kind: (low, high) for kind, (low, high) in table.bet_limits.items()}
        self.situation = Situation(round_.window_number, table.is_animation, self.offers, limits)

    def stage(self, kind: str) -> int:
        return stage_of(self.rules, kind)

    def refuse(self, wager: Wager, accepted: dict[tuple[str, str], int]) -> str:
        """Return why a wager is not taken, or an empty text."""
        if self.is_over:
            return NOT_TAKEN_NOW
        reason = self._refuse_by_clock(wager)
        if reason is None and self.rules.must_confirm_bets and not wager.is_confirmed:
            reason = Refusal.NOT_CONFIRMED
        if reason is None:
            reason = refusal(self.rules, self.situation, accepted, wager.kind, wager.phase, wager.stake_minor)
        return reason.value if reason else ""

    def _refuse_by_clock(self, wager: Wager) -> Refusal | None:
        if not wager.phase:
            opened, closed = self.round.betting_opened_at, self.round.betting_closed_at
        else:
            opening = next((opening for opening in self.openings if opening.phase == wager.phase), None)
            if opening is None:
                return Refusal.INSURANCE_NOT_OFFERED
            opened, closed = opening.opened_at, opening.closed_at
        if wager.placed_at < opened:
            return Refusal.BEFORE_BETTING
        return Refusal.AFTER_BELL if closed is not None and wager.placed_at > closed else None


def _known_and_cancelled(ids: list[str]) -> tuple[set[str], set[str]]:
    """Return which of these IDs a bet has already, and which were cancelled before any bet had them."""
    known: set[str] = set()
    cancelled: set[str] = set()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT platform_bet_id, true FROM tables_bet WHERE platform_bet_id = ANY(%(ids)s)
            UNION ALL
            SELECT platform_bet_id, false FROM tables_betcancellation WHERE platform_bet_id = ANY(%(ids)s)
            """,
            {"ids": ids},
        )
        for bet_id, is_bet in cursor.fetchall():
            (known if is_bet else cancelled).add(bet_id)
    return known, cancelled


def _know_players(play: Play, references: set[str]) -> None:
    """Learn the internal ids of players, entering those never seen."""
    wanted = [reference for reference in references if reference not in play.player_ids]
    if not wanted:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH missing AS (
                SELECT reference, nextval(pg_get_serial_sequence('tables_player', 'id')) AS id
                FROM unnest(%(references)s::text[]) AS wanted(reference)
                WHERE NOT EXISTS (
                    SELECT 1 FROM tables_playeridentity known WHERE known.reference = wanted.reference
                )
            ), player AS (
                INSERT INTO tables_player (id, first_seen_at) SELECT id, %(at)s FROM missing
            )
            INSERT INTO tables_playeridentity (player_id, reference) SELECT id, reference FROM missing
            ON CONFLICT (reference) DO NOTHING
            """,
            {"references": sorted(wanted), "at": play.received_at},
        )
        cursor.execute(
            "SELECT reference, player_id FROM tables_playeridentity WHERE reference = ANY(%s)", [wanted]
        )
        play.player_ids.update(cursor.fetchall())


def _book_of(play: Play, round_: Round, player_ids: set[int]) -> dict[int, dict[tuple[str, str], int]]:
    """Return what each player has on the round so far; of insurance only what is of the live deal."""
    book = play.accepted if round_ is play.round else {}
    unknown = [player_id for player_id in player_ids if player_id not in book]
    for player_id in unknown:
        book[player_id] = {}
    if round_ is play.round and round_.pk in play.begun:
        unknown = [player_id for player_id in unknown if player_id in play.cancelled_players]
    if not unknown:
        return book
    taken = Bet.objects.filter(round=round_, player_id__in=unknown, status=BetStatus.ACCEPTED.value)
    taken = taken.filter(deal__isnull=True) | taken.filter(deal__status=DealStatus.LIVE.value)
    sums = taken.values_list("player_id", "kind", "phase").annotate(stake=Sum("stake_minor"))
    for player_id, kind, phase, stake in sums:
        book[player_id][kind, phase] = int(stake)
    return book


# Refusals that say something about the table and not only about the bet.
_FOUND = {
    Refusal.AFTER_BELL.value: "bets_after_bell",
    NOT_TAKEN_NOW: "bets_after_result",
    Refusal.OUTSIDE_WINDOW.value: "bets_outside_window",
    Refusal.OUTSIDE_LIMITS.value: "bets_outside_limits",
    Refusal.INSURANCE_OVER_CAP.value: "insurance_over_cap",
    DUPLICATE_BET: DUPLICATE_BET,
}


def _find_refusals(play: Play, round_: Round, refused: Iterable[RefusedBet]) -> None:
    by_code: dict[str, list[str]] = {}
    for bet in refused:
        if bet.reason in _FOUND:
            by_code.setdefault(_FOUND[bet.reason], []).append(bet.id)
    for code, ids in by_code.items():
        find(play, code, may_change_money=False, round_=round_, bets=ids[:20], count=len(ids))


def cancel_bets(play: Play, *, ids: Sequence[str], event_id: int) -> list[RefusedBet]:
    """Cancel bets before the bell; one not yet known is kept and wins when the bet arrives.

    A bet that stands already (its round's bell has rung or its result is in, or a confirmed bet where the
    rules forbid it) is refused and stands.
    """
    found = {
        bet.platform_bet_id: bet
        for bet in Bet.objects.filter(platform_bet_id__in=ids).select_related("round")
    }
    refused: list[RefusedBet] = []
    cancel: list[Bet] = []
    keep: list[str] = []
    for bet_id in dict.fromkeys(ids):
        bet = found.get(bet_id)
        if bet is None:
            keep.append(bet_id)
        elif bet.round.table_id != play.table.pk:
            refused.append(RefusedBet(bet_id, "bet_of_another_table"))
        elif bet.status != BetStatus.ACCEPTED:
            refused.append(RefusedBet(bet_id, f"bet_is_{bet.status}"))
        elif bet.round.betting_closed_at is not None and play.at > bet.round.betting_closed_at:
            refused.append(RefusedBet(bet_id, Refusal.AFTER_BELL.value))
        elif is_over(bet.round):
            refused.append(RefusedBet(bet_id, NOT_TAKEN_NOW))
        elif rules_of(bet.round.rulebook_id).must_confirm_bets:
            refused.append(RefusedBet(bet_id, "confirmed_bet_stands"))
        else:
            cancel.append(bet)
    Bet.objects.filter(pk__in=[bet.pk for bet in cancel]).update(status=BetStatus.CANCELLED.value)
    for bet in cancel:
        play.accepted.pop(bet.player_id, None)
        play.cancelled_players.add(bet.player_id)
    BetCancellation.objects.bulk_create(
        [BetCancellation(platform_bet_id=bet_id, event_id=event_id, at=play.at) for bet_id in keep],
        ignore_conflicts=True,
    )
    return refused
