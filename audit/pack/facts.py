"""Everything an evidence pack says, read from the database as plain values: no words, no files yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audit.models import Complaint, EvidencePack, Incident, Notice, PackSubject, Ruling, RulingRound
from audit.pack.complaint_rows import complaints_of, tell
from audit.pack.feed_rows import read_feed
from audit.pack.rows import (
    Players,
    Row,
    authority,
    bet_row,
    card_rows,
    incident_row,
    revision_row,
    round_row,
    ruling_row,
    shoe_row,
    when,
)
from audit.pack.video_rows import Filmed, read_video
from tables.house import house_zone
from tables.models import (
    Bet,
    Deal,
    Finding,
    GameTable,
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
from tables.queries.rulebooks import rulebook_in_force


@dataclass(frozen=True, slots=True)
class Facts:
    """What a pack is about: records to draw from, and the same as rows of plain values."""

    is_shoe: bool
    #: None in a pack about a complaint that names no round; it may name no table either.
    shoe: Shoe | None
    table: GameTable | None
    rounds: tuple[Round, ...]
    rulebooks: tuple[Rulebook, ...]
    rulings: tuple[Ruling, ...]
    incidents: tuple[Incident, ...]
    complaints: tuple[Complaint, ...]
    tables: Mapping[str, list[Row]]
    entries: tuple[JournalEntry, ...]
    video: Filmed
    player: Players
    files: Mapping[str, bytes]

    @property
    def zone(self) -> str:
        """The zone of the clock on the wall: the table's, and without one the house's."""
        return self.table.zone if self.table else house_zone().key


def read_facts(pack: EvidencePack) -> Facts:
    """Read all that a pack is about; call it in one transaction, so that everything is of one moment."""
    shoe, rounds = _subject(pack)
    round_ids = [round_.pk for round_ in rounds]
    rulings = list(
        Ruling.objects.filter(pk__in=RulingRound.objects.filter(round__in=round_ids).values("ruling"))
        .select_related("table", "incident", "complaint", "requested_by_person", "decided_by_person")
        .order_by("pk")
    )
    is_shoe = pack.subject_kind == PackSubject.SHOE
    about = Incident.objects.select_related("table", "round", "shoe", "rulebook", "reported_by")
    if is_shoe:
        incidents = list(about.filter(shoe=shoe) | about.filter(round__in=round_ids))
    else:
        incidents = list(about.filter(round__in=round_ids))
    incidents.sort(key=lambda one: one.pk)
    complaints = complaints_of(pack, round_ids)
    table = shoe.table if shoe else complaints[0].table
    players = _names(pack, round_ids, complaints)
    told = tell(pack, complaints, incidents, rulings, players)
    video = read_video(rounds, complaints)
    feed = read_feed({round_.pk: round_.public_id for round_ in rounds})
    tables = _tables(shoe, rounds, rulings, incidents, players, is_shoe=is_shoe)
    entries = [
        *_entries(shoe if is_shoe else None, round_ids, rulings, incidents, complaints),
        *video.entries,
        *feed.entries,
    ]
    return Facts(
        is_shoe=is_shoe,
        shoe=shoe,
        table=table,
        rounds=tuple(rounds),
        rulebooks=tuple(_rulebooks(rounds, shoe) if shoe else _rulebooks_of_complaint(complaints[0])),
        rulings=tuple(rulings),
        incidents=tuple(incidents),
        complaints=told.complaints,
        tables={**tables, **feed.tables, **video.tables, **told.tables},
        entries=tuple(sorted(entries, key=lambda entry: entry.pk)),
        video=video,
        player=players,
        files=told.files,
    )


def _subject(pack: EvidencePack) -> tuple[Shoe | None, list[Round]]:
    """Return the shoe and the rounds a pack is about; none of either for a complaint without a round."""
    if pack.subject_kind == PackSubject.SHOE:
        shoe = Shoe.objects.select_related("table", "rulebook").get(pk=pack.subject_id)
        return shoe, list(_rounds().filter(shoe=shoe).order_by("number"))
    if pack.subject_kind == PackSubject.COMPLAINT:
        rounds = list(_rounds().filter(complaints=pack.subject_id))
        return (rounds[0].shoe if rounds else None), rounds
    rounds = list(_rounds().filter(pk=pack.subject_id))
    return rounds[0].shoe, rounds


def _rounds() -> Any:
    return Round.objects.select_related("table", "shoe__table", "rulebook", "dealer")


def _rulebooks(rounds: Iterable[Round], shoe: Shoe) -> list[Rulebook]:
    wanted = {round_.rulebook_id for round_ in rounds} | {shoe.rulebook_id}
    return list(Rulebook.objects.filter(pk__in=wanted).order_by("pk"))


def _rulebooks_of_complaint(complaint: Complaint) -> list[Rulebook]:
    """Return the rulebooks in force as a complaint without a round came: its table's, or else all tables'."""
    of = GameTable.objects.filter(pk=complaint.table_id) if complaint.table_id else GameTable.objects.all()
    codes = sorted(set(of.values_list("rulebook__code", flat=True)))
    found = [rulebook_in_force(code, complaint.received_at) for code in codes]
    return sorted((book for book in found if book), key=lambda book: book.pk)


def _names(pack: EvidencePack, round_ids: list[int], complaints: Iterable[Complaint]) -> Players:
    """Return how players are called: by reference where the one who asked may see it, else by number."""
    if not pack.names_players:
        return lambda player_id: f"#{player_id}"
    keys = set(Bet.objects.filter(round__in=round_ids).values_list("player_id", flat=True))
    known = references_of(keys | {one.player_id for one in complaints if one.player_id})
    return lambda player_id: known.get(player_id, f"#{player_id}")


def _entries(
    shoe: Shoe | None,
    round_ids: list[int],
    rulings: list[Ruling],
    incidents: list[Incident],
    complaints: list[Complaint],
) -> list[JournalEntry]:
    """Read the journal's entries about these rounds, what was disputed and decided on them."""
    subjects: dict[str, list[int]] = {
        "round": round_ids,
        "ruling": [one.pk for one in rulings],
        "incident": [one.pk for one in incidents],
        "complaint": [one.pk for one in complaints],
        "shoe": [shoe.pk] if shoe else [],
    }
    found: list[JournalEntry] = []
    for kind, keys in subjects.items():
        found += JournalEntry.objects.filter(subject_type=kind, subject_id__in=keys)
    return found


def _tables(
    shoe: Shoe | None,
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
        "shoe": [shoe_row(shoe)] if shoe else [],
        "rounds": [round_row(round_) for round_ in rounds],
        "deals": [
            {
                "round": names[one.round_id],
                "deal": one.number,
                "status": one.status,
                "started_at": when(one.started_at),
                "died_at": when(one.died_at),
                "authority": authority(one.authority, numbers),
            }
            for one in Deal.objects.filter(round__in=keys).order_by("round__number", "number")
        ],
        "cards": card_rows(shoe, keys, names, whole_shoe=is_shoe) if shoe else [],
        "insurance": [
            {
                "round": names[one.deal.round_id],
                "deal": one.deal.number,
                "phase": one.phase,
                "opened_at": when(one.opened_at),
                "closed_at": when(one.closed_at),
                "offered": one.offered,
                "shown": one.shown,
            }
            for one in InsuranceOffer.objects.filter(deal__round__in=keys)
            .select_related("deal")
            .order_by("deal__round__number", "opened_at", "pk")
        ],
        "bets": [bet_row(bet, names, player) for bet in bets.values()],
        "revisions": [revision_row(one, names, numbers) for one in settlements],
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
                "booked_at": when(one.created_at),
            }
            for one in WalletTransaction.objects.filter(settlement__in=settlements).order_by("pk")
        ],
        "incidents": [incident_row(one) for one in incidents],
        "rulings": [ruling_row(one) for one in rulings],
        "ruling_rounds": [
            {
                "ruling": one.ruling.number,
                "round": names[one.round_id],
                "on_revision": one.base_revision,
                "bets_digest": one.preview_digest,
                "given_minor": one.given_minor,
                "taken_minor": one.taken_minor,
                "applied_at": when(one.applied_at),
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
                "written_at": when(one.created_at),
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
                "at": when(one.at),
                "found_at": when(one.found_at),
                "data": one.data,
            }
            for one in Finding.objects.filter(round__in=keys).order_by("pk")
        ],
        "holds": [
            {
                "round": names[one.round_id],
                "reason": one.reason,
                "placed_at": when(one.placed_at),
                "lifted_at": when(one.lifted_at),
                "lifted_by": one.lifted_by,
            }
            for one in Hold.objects.filter(round__in=keys).order_by("pk")
        ],
    }
