"""What lies on a table now, held in memory while one batch of play is read under the table's lock.

`live_play` locks the table, loads, and writes everything back in one go; the verbs of `shoes`, `rounds`
and `bets` work on the `Play` it yields. A verb checks before it changes anything, so a refusal leaves
no trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from tables import locks
from tables.models import (
    Bell,
    Card,
    Deal,
    DealStatus,
    Finding,
    GameTable,
    Hold,
    InsuranceOffer,
    Round,
    RoundStatus,
    Rulebook,
    Shoe,
    ShoeStatus,
    TableState,
)
from tables.queries.rulebooks import rules_of, versions_of
from tables.rules.cards import Card as Face
from tables.rules.drawing import Place
from tables.rules.rulebook import Rulebook as Rules
from tables.services import outbox
from tables.services.actors import Actor


class PlayRefused(Exception):
    """What was sent or keyed cannot be: names the field and the rule it breaks."""

    def __init__(self, field_name: str, rule: str, message: str) -> None:
        super().__init__(f"{field_name}: {message} ({rule})")
        self.field, self.rule, self.message = field_name, rule, message


@dataclass(slots=True)
class Play:
    """The state of one table's play. `at` is the table's own time of what is happening."""

    table: GameTable
    state: TableState
    actor: Actor
    received_at: datetime
    at: datetime
    shoe: Shoe | None = None
    round: Round | None = None
    deal: Deal | None = None
    offer: InsuranceOffer | None = None
    placed: dict[Place, Card] = field(default_factory=dict)
    copies: Counter[str] = field(default_factory=Counter)
    accepted: dict[int, dict[tuple[str, str], int]] = field(default_factory=dict)
    player_ids: dict[str, int] = field(default_factory=dict)
    new_cards: list[Card] = field(default_factory=list)
    new_findings: list[Finding] = field(default_factory=list)
    new_holds: list[Hold] = field(default_factory=list)
    touched_shoes: dict[int, Shoe] = field(default_factory=dict)
    resulted: list[int] = field(default_factory=list)
    #: Rounds begun in this transaction: whatever they have, this play has seen.
    begun: set[int] = field(default_factory=set)
    #: Players one of whose bets was cancelled in this transaction: what they have is read anew.
    cancelled_players: set[int] = field(default_factory=set)
    #: Insurance opened in the live deal; None while nobody has read it.
    openings: list[InsuranceOffer] | None = None
    #: Rounds of the shoe that count for bet windows; None while nobody has counted.
    counted_rounds: int | None = None
    #: By what each shoe is in doubt, once asked: while the table is locked nobody comes to doubt it.
    doubts: dict[int, str | None] = field(default_factory=dict)
    _rulebooks: dict[str, list[Rulebook]] = field(default_factory=dict)

    def need_shoe(self) -> Shoe:
        if self.shoe is None:
            raise PlayRefused("shoe", "feed/shoe-first", "no shoe is on the table; start one first")
        return self.shoe

    def need_round(self, platform_id: str) -> Round:
        """Return the round in play, which must be the one named."""
        if self.round is None or self.round.platform_id != platform_id:
            now = self.round.platform_id if self.round else "none"
            raise PlayRefused("round", "feed/round-in-play", f"{platform_id} is not in play; in play: {now}")
        return self.round

    def rules(self) -> Rules:
        """Return the rules of the round in play, else of the shoe, else of the table."""
        owner = self.round or self.shoe or self.table
        return rules_of(owner.rulebook_id)

    def rulebook_in_force(self) -> Rulebook:
        """Return the version of the table's rulebook that is in force now by the table's own time."""
        code = self.table.rulebook.code
        if code not in self._rulebooks:
            self._rulebooks[code] = versions_of(code)
        in_force = (one for one in self._rulebooks[code] if one.effective_from <= self.at)
        return next(in_force, self.table.rulebook)

    def openings_of_deal(self) -> list[InsuranceOffer]:
        """Return the insurance opened in the live deal so far."""
        if self.openings is None:
            self.openings = list(InsuranceOffer.objects.filter(deal=self.deal)) if self.deal else []
        return self.openings

    def faces(self) -> tuple[list[Face], list[Face]]:
        """Return the Player's and the Banker's cards in places of the live deal, in order of their places."""
        hands: tuple[list[Face], list[Face]] = ([], [])
        for place in Place:
            card = self.placed.get(place)
            if card is not None:
                hands[0 if place.value[0] == "P" else 1].append(card.face)
        return hands

    def touch_shoe(self) -> None:
        if self.shoe is not None:
            self.touched_shoes[self.shoe.pk] = self.shoe


@contextmanager
def live_play(
    table: GameTable, *, actor: Actor, received_at: datetime, at: datetime | None = None
) -> Iterator[Play]:
    """Lock a table's play, yield it, and write what was changed. One transaction; all or nothing."""
    with transaction.atomic():
        state = locks.lock_table_state(table.pk)
        table = GameTable.objects.select_related("rulebook").defer("rulebook__document").get(pk=table.pk)
        play = Play(table=table, state=state, actor=actor, received_at=received_at, at=at or received_at)
        _load(play)
        yield play
        flush(play)


def _load(play: Play) -> None:
    if play.state.shoe_id is not None:
        play.shoe = Shoe.objects.filter(pk=play.state.shoe_id, status=ShoeStatus.OPEN.value).first()
    if play.shoe is not None:
        seen = Card.objects.filter(shoe=play.shoe, rank__isnull=False, superseded_by__isnull=True)
        play.copies.update(f"{rank}{suit}" for rank, suit in seen.values_list("rank", "suit"))
    if play.state.round_id is not None:
        play.round = Round.objects.get(pk=play.state.round_id)
    if play.round is not None:
        play.deal = Deal.objects.filter(round=play.round, status=DealStatus.LIVE.value).first()
    if play.deal is not None:
        cards = Card.objects.filter(deal=play.deal, superseded_by__isnull=True).order_by("position")
        play.placed = {Place(card.place): card for card in cards}
        play.offer = next((one for one in play.openings_of_deal() if one.closed_at is None), None)


def enter_round(play: Play, round_: Round, deal: Deal | None) -> None:
    """Make a round the one in play, with nothing dealt yet."""
    play.round, play.deal, play.offer = round_, deal, None
    play.placed, play.accepted, play.openings = {}, {}, None
    play.state.round = round_


def flush(play: Play) -> None:
    """Write what the batch changed, in sets."""
    for card in play.new_cards:
        if card.supersedes_id is None and card.supersedes is not None:
            card.supersedes_id = card.supersedes.pk
    _save_cards(play.new_cards)
    Finding.objects.bulk_create(play.new_findings)
    Hold.objects.bulk_create(play.new_holds)
    for shoe in play.touched_shoes.values():
        shoe.save()
    play.state.save()
    outbox.promise(Bell.SETTLE, play.resulted, at=play.received_at)
    for buffer in (play.new_cards, play.new_findings, play.new_holds, play.resulted):
        buffer.clear()
    play.touched_shoes.clear()


def _save_cards(cards: list[Card]) -> None:
    """Insert cards; one that corrects a card of the same batch waits for that card's key."""
    first = [card for card in cards if card.supersedes is None or card.supersedes.pk is not None]
    Card.objects.bulk_create(first)
    later = [card for card in cards if card.pk is None]
    if later:
        for card in later:
            card.supersedes = card.supersedes  # re-reads the key that bulk_create has just set
        _save_cards(later)


def is_over(round_: Round) -> bool:
    """Say whether a round's play has ended."""
    return round_.status in (RoundStatus.RESULTED, RoundStatus.SETTLED, RoundStatus.VOIDED)
