"""Everything an evidence pack says, read from the database as plain values: no words, no files yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.models import EvidencePack, Incident, Notice, PackSubject, Ruling, RulingRound
from tables.models import (
    Bet,
    Card,
    Deal,
    FeedEvent,
    Finding,
    Hold,
    InsuranceOffer,
    JournalEntry,
    Round,
    Rulebook,
    Settlement,
    SettlementLine,
    Shoe,
    WalletTransaction,
)
from tables.queries.people import references_of
from tables.services.journal import moment

Row = dict[str, Any]
Players = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a pack is about: records to draw from, and the same as rows of plain values."""

    is_shoe: bool
    shoe: Shoe
    rounds: tuple[Round, ...]
    rulebooks: tuple[Rulebook, ...]
    rulings: tuple[Ruling, ...]
    incidents: tuple[Incident, ...]
    tables: Mapping[str, list[Row]]
    entries: tuple[JournalEntry, ...]
    player: Players


def read_facts(pack: EvidencePack) -> Facts:
    """Read all that a pack is about; call it in one transaction, so that everything is of one moment."""
    if pack.subject_kind == PackSubject.SHOE:
        shoe = Shoe.objects.select_related("table", "rulebook").get(pk=pack.subject_id)
        rounds = list(_rounds().filter(shoe=shoe).order_by("number"))
    else:
        rounds = list(_rounds().filter(pk=pack.subject_id))
        shoe = rounds[0].shoe
    round_ids = [round_.pk for round_ in rounds]
    rulings = list(
        Ruling.objects.filter(pk__in=RulingRound.objects.filter(round__in=round_ids).values("ruling"))
        .select_related("table", "incident", "requested_by_person", "decided_by_person")
        .order_by("pk")
    )
    about = Incident.objects.select_related("table", "round", "shoe", "rulebook", "reported_by")
    if pack.subject_kind == PackSubject.SHOE:
        incidents = list(about.filter(shoe=shoe) | about.filter(round__in=round_ids))
    else:
        incidents = list(about.filter(round__in=round_ids))
    incidents.sort(key=lambda one: one.pk)
    players = _names(pack, round_ids)
    is_shoe = pack.subject_kind == PackSubject.SHOE
    return Facts(
        is_shoe=is_shoe,
        shoe=shoe,
        rounds=tuple(rounds),
        rulebooks=tuple(_rulebooks(rounds, shoe)),
        rulings=tuple(rulings),
        incidents=tuple(incidents),
        tables=_tables(shoe, rounds, rulings, incidents, players, is_shoe=is_shoe),
        entries=tuple(_entries(pack, shoe, round_ids, rulings, incidents)),
        player=players,
    )


def _rounds() -> Any:
    return Round.objects.select_related("table", "shoe__table", "rulebook", "dealer")


def _rulebooks(rounds: Iterable[Round], shoe: Shoe) -> list[Rulebook]:
    wanted = {round_.rulebook_id for round_ in rounds} | {shoe.rulebook_id}
    return list(Rulebook.objects.filter(pk__in=wanted).order_by("pk"))


def _names(pack: EvidencePack, round_ids: list[int]) -> Players:
    """Return how players are called: by reference where the one who asked may see it, else by number."""
    if not pack.names_players:
        return lambda player_id: f"#{player_id}"
    known = references_of(Bet.objects.filter(round__in=round_ids).values_list("player_id", flat=True))
    return lambda player_id: known.get(player_id, f"#{player_id}")


def _entries(
    pack: EvidencePack, shoe: Shoe, round_ids: list[int], rulings: list[Ruling], incidents: list[Incident]
) -> list[JournalEntry]:
    """Read the journal's entries about these rounds and what was decided on them, oldest first."""
    subjects: dict[str, list[int]] = {
        "round": round_ids,
        "ruling": [one.pk for one in rulings],
        "incident": [one.pk for one in incidents],
    }
    if pack.subject_kind == PackSubject.SHOE:
        subjects["shoe"] = [shoe.pk]
    found: list[JournalEntry] = []
    for kind, keys in subjects.items():
        found += JournalEntry.objects.filter(subject_type=kind, subject_id__in=keys)
    return sorted(found, key=lambda entry: entry.pk)


def _when(at: datetime | None) -> str:
    return moment(at) if at else ""


def _tables(
    shoe: Shoe,
    rounds: list[Round],
    rulings: list[Ruling],
    incidents: list[Incident],
    player: Players,
    *,
    is_shoe: bool,
) -> dict[str, list[Row]]:
    keys = [round_.pk for round_ in rounds]
    names = {round_.pk: round_.public_id for round_ in rounds}
    numbers = {ruling.uuid: ruling.number for ruling in rulings}
    settlements = list(Settlement.objects.filter(round__in=keys).order_by("round__number", "revision"))
    revision = {one.pk: (names[one.round_id], one.revision) for one in settlements}
    bets = {bet.pk: bet for bet in Bet.objects.filter(round__in=keys).order_by("round__number", "pk")}
    return {
        "shoe": [_shoe_row(shoe)],
        "rounds": [_round_row(round_) for round_ in rounds],
        "deals": [
            {
                "round": names[one.round_id],
                "deal": one.number,
                "status": one.status,
                "started_at": _when(one.started_at),
                "died_at": _when(one.died_at),
                "authority": _authority(one.authority, numbers),
            }
            for one in Deal.objects.filter(round__in=keys).order_by("round__number", "number")
        ],
        "cards": _card_rows(shoe, keys, names, whole_shoe=is_shoe),
        "insurance": [
            {
                "round": names[one.deal.round_id],
                "deal": one.deal.number,
                "phase": one.phase,
                "opened_at": _when(one.opened_at),
                "closed_at": _when(one.closed_at),
                "offered": one.offered,
                "shown": one.shown,
            }
            for one in InsuranceOffer.objects.filter(deal__round__in=keys)
            .select_related("deal")
            .order_by("deal__round__number", "opened_at", "pk")
        ],
        "bets": [_bet_row(bet, names, player) for bet in bets.values()],
        "revisions": [_revision_row(one, names, numbers) for one in settlements],
        "lines": [
            {
                "round": revision[line.settlement_id][0],
                "revision": revision[line.settlement_id][1],
                "bet": bets[line.bet_id].platform_bet_id,
                "result": line.result,
                "returned_minor": line.returned_minor,
                "moved_minor": line.moved_minor,
            }
            for line in SettlementLine.objects.filter(settlement__in=settlements).order_by(
                "settlement__round__number", "settlement__revision", "bet_id"
            )
        ],
        "wallet": [
            {
                "key": one.key,
                "round": revision[one.settlement_id][0],
                "revision": revision[one.settlement_id][1],
                "player": player(one.player_id),
                "kind": one.kind,
                "amount_minor": one.amount_minor,
                "currency": one.currency,
                "booked_at": _when(one.created_at),
            }
            for one in WalletTransaction.objects.filter(settlement__in=settlements).order_by("pk")
        ],
        "incidents": [_incident_row(one) for one in incidents],
        "rulings": [_ruling_row(one) for one in rulings],
        "ruling_rounds": [
            {
                "ruling": one.ruling.number,
                "round": names[one.round_id],
                "on_revision": one.base_revision,
                "bets_digest": one.preview_digest,
                "given_minor": one.given_minor,
                "taken_minor": one.taken_minor,
                "applied_at": _when(one.applied_at),
                "in_force": one.is_in_force,
            }
            for one in RulingRound.objects.filter(round__in=keys).select_related("ruling").order_by("pk")
        ],
        "notices": [
            {
                "ruling": one.ruling.number,
                "round": names[one.round_id],
                "player": player(one.player_id),
                "moved_minor": one.moved_minor,
                "written_at": _when(one.created_at),
                "text_en": one.text_en,
                "text_th": one.text_th,
            }
            for one in Notice.objects.filter(round__in=keys).select_related("ruling").order_by("pk")
        ],
        "findings": [
            {
                "round": names[one.round_id or 0],
                "code": one.code,
                "may_change_money": one.may_change_money,
                "at": _when(one.at),
                "found_at": _when(one.found_at),
                "data": one.data,
            }
            for one in Finding.objects.filter(round__in=keys).order_by("pk")
        ],
        "holds": [
            {
                "round": names[one.round_id],
                "reason": one.reason,
                "placed_at": _when(one.placed_at),
                "lifted_at": _when(one.lifted_at),
                "lifted_by": one.lifted_by,
            }
            for one in Hold.objects.filter(round__in=keys).order_by("pk")
        ],
        "feed": [
            {
                "round": names[one.round_id or 0],
                "seq": one.seq,
                "event": one.event_id,
                "type": one.type,
                "at": _when(one.at),
                "received_at": _when(one.received_at),
                "status": one.status,
                "error": one.error,
                "body_sha256": bytes(one.body_hash).hex(),
            }
            for one in FeedEvent.objects.filter(round__in=keys).order_by("seq").defer("body")
        ],
    }


def _authority(given: UUID | None, numbers: Mapping[UUID, str]) -> str:
    """Name what stands behind a change: a ruling by its number."""
    return numbers.get(given, str(given)) if given else ""


def _shoe_row(shoe: Shoe) -> Row:
    return {
        "shoe": shoe.public_id,
        "table": shoe.table.code,
        "rulebook": str(shoe.rulebook),
        "gaming_date": shoe.gaming_date.isoformat(),
        "decks": shoe.decks,
        "status": shoe.status,
        "started_at": _when(shoe.started_at),
        "ended_at": _when(shoe.ended_at),
        "end_reason": shoe.end_reason,
        "cut_from_back": shoe.cut_from_back,
        "burn_due": shoe.burn_due,
        "burn_done": shoe.burn_done,
        "cards_out": shoe.cards_out,
        "blue_card_at": _when(shoe.blue_card_at),
        "last_round": shoe.last_round_number,
    }


def _round_row(round_: Round) -> Row:
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
        "betting_opened_at": _when(round_.betting_opened_at),
        "betting_closed_at": _when(round_.betting_closed_at),
        "resulted_at": _when(round_.resulted_at),
        "settled_at": _when(round_.settled_at),
        "outcome": round_.outcome or "",
        "player_total": round_.player_total,
        "banker_total": round_.banker_total,
        "claimed": round_.claimed,
    }


def _card_rows(shoe: Shoe, keys: list[int], names: dict[int, str], *, whole_shoe: bool) -> list[Row]:
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
            "at": _when(card.at),
            "stands": not hasattr(card, "superseded_by"),
        }
        for card in cards.order_by("position", "pk")
    ]


def _bet_row(bet: Bet, names: dict[int, str], player: Players) -> Row:
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
        "placed_at": _when(bet.placed_at),
    }


def _revision_row(one: Settlement, names: dict[int, str], numbers: Mapping[UUID, str]) -> Row:
    return {
        "round": names[one.round_id],
        "revision": one.revision,
        "authority": _authority(one.authority, numbers),
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
        "settled_at": _when(one.created_at),
    }


def _incident_row(one: Incident) -> Row:
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
        "reported_at": _when(one.reported_at),
        "closed_at": _when(one.closed_at),
    }


def _ruling_row(one: Ruling) -> Row:
    return {
        "ruling": one.number,
        "uuid": str(one.uuid),
        "kind": one.kind,
        "incident": one.incident.number if one.incident else "",
        "facts": one.facts,
        "passage": one.passage,
        "proposed_by_rule": one.is_proposed_by_rule,
        "reason": one.reason,
        "status": one.status,
        "requested_by": one.requested_by_person.name,
        "requested_at": _when(one.requested_at),
        "decided_by": one.decided_by_person.name if one.decided_by_person else "",
        "decided_at": _when(one.decided_at),
        "decision_reason": one.decision_reason,
        "preview_sha256": one.preview_hash,
        "bets": one.bets_count,
        "given_minor": one.given_minor,
        "taken_minor": one.taken_minor,
        "finished_at": _when(one.finished_at),
    }
