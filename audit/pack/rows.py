"""Single records as rows of an evidence pack: plain values, times in UTC, sums in minor units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.models import Incident, Ruling
from tables.models import Bet, Card, Round, Settlement, Shoe
from tables.services.journal import moment

Row = dict[str, Any]
Players = Callable[[int], str]


def when(at: datetime | None) -> str:
    """Write a moment, or nothing."""
    return moment(at) if at else ""


def authority(given: UUID | None, numbers: Mapping[UUID, str]) -> str:
    """Name what stands behind a change: a ruling by its number."""
    return numbers.get(given, str(given)) if given else ""


def shoe_row(shoe: Shoe) -> Row:
    """Write down a shoe."""
    return {
        "shoe": shoe.public_id,
        "table": shoe.table.code,
        "rulebook": str(shoe.rulebook),
        "gaming_date": shoe.gaming_date.isoformat(),
        "decks": shoe.decks,
        "card_set": shoe.card_set,
        "status": shoe.status,
        "started_at": when(shoe.started_at),
        "ended_at": when(shoe.ended_at),
        "end_reason": shoe.end_reason,
        "cut_from_back": shoe.cut_from_back,
        "burn_due": shoe.burn_due,
        "burn_done": shoe.burn_done,
        "cards_out": shoe.cards_out,
        "blue_card_at": when(shoe.blue_card_at),
        "last_round": shoe.last_round_number,
    }


def round_row(round_: Round) -> Row:
    """Write down a round."""
    return {
        "round": round_.public_id,
        "platform_id": round_.platform_id,
        "number": round_.number,
        "table": round_.table.code,
        "currency": round_.table.currency,
        "zone": round_.table.zone,
        "dealer": round_.dealer.name if round_.dealer else "",
        "rulebook": round_.rulebook.code,
        "rulebook_version": round_.rulebook.version,
        "rulebook_sha256": round_.rulebook.content_hash,
        "status": round_.status,
        "betting_opened_at": when(round_.betting_opened_at),
        "betting_closed_at": when(round_.betting_closed_at),
        "resulted_at": when(round_.resulted_at),
        "settled_at": when(round_.settled_at),
        "outcome": round_.outcome or "",
        "player_total": round_.player_total,
        "banker_total": round_.banker_total,
        "claimed": round_.claimed,
    }


def card_rows(shoe: Shoe, keys: list[int], names: dict[int, str], *, whole_shoe: bool) -> list[Row]:
    """Write down the cards of rounds, or of a whole shoe, those that were corrected too."""
    cards = Card.objects.filter(shoe=shoe).select_related("deal", "supersedes", "superseded_by")
    if not whole_shoe:
        cards = cards.filter(round__in=keys)
    return [
        {
            "position": card.position,
            "round": names.get(card.round_id or 0, ""),
            "deal": card.deal.number if card.deal else None,
            "place": card.place,
            "card": f"{card.rank}{card.suit}" if card.rank else "",
            "source": card.source,
            "at": when(card.at),
            "stands": not hasattr(card, "superseded_by"),
        }
        for card in cards.order_by("position", "pk")
    ]


def bet_row(bet: Bet, names: dict[int, str], player: Players) -> Row:
    """Write down a bet."""
    return {
        "bet": bet.platform_bet_id,
        "round": names[bet.round_id],
        "player": player(bet.player_id),
        "kind": bet.kind,
        "phase": bet.phase,
        "stake_minor": bet.stake_minor,
        "odds_shown": bet.odds_shown,
        "status": bet.status,
        "refused_because": bet.refusal,
        "placed_at": when(bet.placed_at),
    }


def revision_row(one: Settlement, names: dict[int, str], numbers: Mapping[UUID, str]) -> Row:
    """Write down a revision of a round."""
    return {
        "round": names[one.round_id],
        "revision": one.revision,
        "authority": authority(one.authority, numbers),
        "outcome": one.outcome,
        "verdicts": one.verdicts,
        "overlay": one.overlay,
        "bets": one.bets_count,
        "players": one.players_count,
        "stakes_minor": one.stakes_minor,
        "returned_minor": one.returned_minor,
        "kept_minor": one.kept_minor,
        "moved_minor": one.moved_minor,
        "lines_sha256": bytes(one.lines_digest).hex(),
        "settled_at": when(one.created_at),
    }


def incident_row(one: Incident) -> Row:
    """Write down an incident."""
    return {
        "incident": one.number,
        "round": one.round.public_id if one.round else "",
        "code": one.code,
        "facts": one.facts,
        "remedies": one.remedies,
        "passage": one.passage,
        "note": one.note,
        "source": one.source,
        "status": one.status,
        "reported_at": when(one.reported_at),
        "closed_at": when(one.closed_at),
    }


def ruling_row(one: Ruling) -> Row:
    """Write down a ruling."""
    return {
        "ruling": one.number,
        "uuid": str(one.uuid),
        "kind": one.kind,
        "incident": one.incident.number if one.incident else "",
        "complaint": one.complaint.number if one.complaint else "",
        "facts": one.facts,
        "passage": one.passage,
        "proposed_by_rule": one.is_proposed_by_rule,
        "reason": one.reason,
        "status": one.status,
        "requested_by": one.requested_by_person.name,
        "requested_at": when(one.requested_at),
        "decided_by": one.decided_by_person.name if one.decided_by_person else "",
        "decided_at": when(one.decided_at),
        "decision_reason": one.decision_reason,
        "preview_sha256": one.preview_hash,
        "bets": one.bets_count,
        "given_minor": one.given_minor,
        "taken_minor": one.taken_minor,
        "finished_at": when(one.finished_at),
    }
