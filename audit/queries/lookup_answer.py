"""What a look-up answers with: the round as players saw it, and everything that was questioned about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audit.models import Complaint, Incident, Notice, Ruling, VideoHold
from audit.queries.video import VideoReference, holds_of, video_of
from tables.models import Bet, Finding, Hold, Round, Settlement, WalletTransaction
from tables.queries.coups import dealings_of_round
from tables.queries.lookup import Answer, Found

MOST_NOTICES = 100
MOST_QUESTIONS = 50


@dataclass(frozen=True, slots=True)
class AboutRound:
    """A round with its revisions, incidents, rulings, notices, complaints, its video and the holds on it."""

    round: Any
    settlements: list[Settlement]
    incidents: list[Incident]
    rulings: list[Ruling]
    notices: list[Notice]
    complaints: list[Complaint]
    video: VideoReference
    holds: list[VideoHold]


def round_of(answer: Answer) -> Round | None:
    """Return the round that the only record found is, or belongs to; None where it belongs to none."""
    hit = answer.only_hit
    if hit is None:
        return None
    rounds = Round.objects.select_related("table", "shoe", "rulebook", "dealer")
    match hit.kind:
        case Found.ROUND:
            return rounds.filter(pk=hit.pk).first()
        case Found.BET:
            return rounds.filter(bets=hit.pk).first()
        case Found.WALLET_TRANSACTION:
            return rounds.filter(settlements__wallet_transactions=hit.pk).first()
    return None


def about_round(found: Any) -> AboutRound:
    """Read everything about a round, in a number of queries that does not grow with its bets.

    What belongs to a question or a decision is fetched only where there is one: nearly all rounds have none,
    and planning a join of nine tables takes longer than all else here.
    """
    found.deals_read = dealings_of_round(found.pk, found.shoe.decks)
    found.findings_read = list(Finding.objects.filter(round=found).order_by("pk"))
    found.holds_read = list(Hold.objects.filter(round=found, lifted_at=None).order_by("pk"))
    settlements = Settlement.objects.filter(round=found).select_related("round", "deal", "rulebook")
    incidents = Incident.objects.filter(round=found).prefetch_related(
        "table", "shoe", "round", "rulebook", "hold", "reported_by"
    )
    rulings = Ruling.objects.filter(rounds__round=found).prefetch_related(
        "table", "shoe", "incident", "complaint", "reinstates", "requested_by", "decided_by"
    )
    notices = Notice.objects.filter(round=found).prefetch_related("round", "ruling", "player__identity")
    complaints = Complaint.objects.filter(round=found).prefetch_related(
        "table", "round", "player__identity", "owner", "merged_into", "rulings"
    )
    return AboutRound(
        round=found,
        settlements=list(settlements.order_by("revision")),
        incidents=list(incidents.order_by("pk")[:MOST_QUESTIONS]),
        rulings=list(rulings.order_by("pk")[:MOST_QUESTIONS]),
        notices=list(notices.order_by("pk")[:MOST_NOTICES]),
        complaints=list(complaints.order_by("pk")[:MOST_QUESTIONS]),
        video=video_of(found),
        holds=holds_of(found),
    )


def players_shown(answer: Answer, about: AboutRound | None) -> set[int]:
    """Return the players whose data an answer shows, by number."""
    keys: dict[Found, list[int]] = {}
    for hit in (*answer.hits, *answer.suggestions):
        keys.setdefault(hit.kind, []).append(hit.pk)
    shown = set(keys.get(Found.PLAYER, ()))
    shown |= _players(Bet.objects.filter(pk__in=keys.get(Found.BET, ())))
    shown |= _players(WalletTransaction.objects.filter(pk__in=keys.get(Found.WALLET_TRANSACTION, ())))
    if about is not None:
        shown |= {notice.player_id for notice in about.notices}
        shown |= {one.player_id for one in about.complaints if one.player_id is not None}
    return shown


def _players(rows: Any) -> set[int]:
    found: Iterable[int] = rows.values_list("player_id", flat=True)
    return set(found)
