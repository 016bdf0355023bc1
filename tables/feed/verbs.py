"""Which service each event of a table calls. One event, one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from tables.feed import events
from tables.models import CardPlace, CardSource, ShoeStatus
from tables.rules.cards import Card as Face
from tables.rules.drawing import Place
from tables.services import bets, floor, rounds, shoes
from tables.services.bets import RefusedBet, Wager
from tables.services.findings import find
from tables.services.play import Play, PlayRefused

Answer = list[RefusedBet] | None

_SHOE_END = {
    "last_round": ShoeStatus.ENDED,
    "replaced": ShoeStatus.REPLACED,
    "cancelled": ShoeStatus.CANCELLED,
}


def _face(text: Any) -> Face | None:
    return None if text is None or text is UNSET else Face.parse(text)


def _table_opened(play: Play, event: events.TableOpened, event_id: int) -> None:
    floor.open_table(play)


def _table_closed(play: Play, event: events.TableClosed, event_id: int) -> None:
    floor.close_table(play, by_fault=event.by_fault, reason=event.reason)


def _limits_changed(play: Play, event: events.LimitsChanged, event_id: int) -> None:
    bets_limits = {kind: (limit.min, limit.max) for kind, limit in event.bets.items()}
    floor.change_limits(play, smallest=event.default.min, largest=event.default.max, bets=bets_limits)


def _dealer_in(play: Play, event: events.DealerIn, event_id: int) -> None:
    floor.seat_dealer(play, reference=event.dealer, name=event.name)


def _heartbeat(play: Play, event: events.Heartbeat, event_id: int) -> None:
    play.state.last_heartbeat_at = play.at


def _shoe_started(play: Play, event: events.ShoeStarted, event_id: int) -> None:
    shoes.start_shoe(play, platform_id=event.shoe, decks=event.decks, card_set=event.card_set or "")


def _cut_card_placed(play: Play, event: events.CutCardPlaced, event_id: int) -> None:
    shoes.place_cut_card(play, from_back=event.from_back)


def _burned(play: Play, event: events.Burned, event_id: int) -> None:
    faces = [_face(face) for face in event.faces]
    shoes.burn_cards(play, turned=_face(event.turned), count=event.count, faces=faces)


def _betting_opened(play: Play, event: events.BettingOpened, event_id: int) -> None:
    rounds.open_betting(play, platform_id=event.round, number=event.number)


def _bets(play: Play, event: events.Bets, event_id: int) -> list[RefusedBet]:
    wagers = [
        Wager(
            id=bet.id,
            player=bet.player,
            kind=bet.bet,
            phase="" if bet.phase is UNSET else bet.phase,
            stake_minor=bet.stake,
            odds_shown="" if bet.odds is UNSET else bet.odds,
            placed_at=event.at if bet.at is UNSET else bet.at,
            is_confirmed=bet.confirmed,
        )
        for bet in event.bets
    ]
    return bets.place_bets(play, round_platform_id=event.round, wagers=wagers, event_id=event_id)


def _bets_cancelled(play: Play, event: events.BetsCancelled, event_id: int) -> list[RefusedBet]:
    return bets.cancel_bets(play, ids=event.bets, event_id=event_id)


def _betting_closed(play: Play, event: events.BettingClosed, event_id: int) -> None:
    rounds.close_betting(play, play.need_round(event.round))


def _card(play: Play, event: events.CardDealt, event_id: int) -> None:
    rounds.deal_card(
        play,
        play.need_round(event.round),
        place=Place(event.place),
        face=Face.parse(event.card),
        source=CardSource(event.source),
        device=event.device,
    )


def _card_corrected(play: Play, event: events.CardCorrected, event_id: int) -> None:
    rounds.correct_card(
        play,
        play.need_round(event.round),
        place=Place(event.place),
        face=_face(event.card),
        to=None if event.to is UNSET else Place(event.to),
        source=CardSource(event.source),
        device=event.device,
    )


def _card_out(play: Play, event: events.CardOut, event_id: int) -> None:
    shoes.take_card_out(
        play,
        reason=CardPlace(event.reason),
        face=_face(event.card),
        source=CardSource(event.source),
        device=event.device,
    )


def _scan_failed(play: Play, event: events.ScanFailed, event_id: int) -> None:
    round_ = play.need_round(event.round)
    rounds.note_scan_failed(play, round_, place=Place(event.place), device=event.device)


def _insurance_opened(play: Play, event: events.InsuranceOpened, event_id: int) -> None:
    rounds.open_insurance(play, play.need_round(event.round), phase=event.phase, shown=event.shown)


def _insurance_closed(play: Play, event: events.InsuranceClosed, event_id: int) -> None:
    rounds.close_insurance(play, play.need_round(event.round), phase=event.phase)


def _blue_card(play: Play, event: events.BlueCard, event_id: int) -> None:
    shoes.show_blue_card(play)


def _redeal_started(play: Play, event: events.RedealStarted, event_id: int) -> None:
    rounds.start_redeal(play, play.need_round(event.round))


def _round_result(play: Play, event: events.RoundResult, event_id: int) -> None:
    rounds.claim_result(
        play,
        play.need_round(event.round),
        outcome=event.outcome,
        player_total=event.player_total,
        banker_total=event.banker_total,
    )


def _shoe_ended(play: Play, event: events.ShoeEnded, event_id: int) -> None:
    left = None if event.left is UNSET else event.left
    shoes.end_shoe(play, reason=event.reason, status=_SHOE_END[event.reason], left=left)


def _incident(play: Play, event: events.Incident, event_id: int) -> None:
    rules = play.rules()
    incident = rules.incidents.get(event.code)
    if incident is None:
        known = ", ".join(sorted(rules.incidents))
        raise PlayRefused(
            "code", f"{rules.id}/incidents", f"{event.code} is not in the catalogue; known: {known}"
        )
    if event.round is not UNSET:
        play.need_round(event.round)
    remedy = incident.remedy(event.facts)
    find(
        play,
        "incident_reported",
        may_change_money=remedy.may_change_money,
        incident=event.code,
        facts=event.facts,
        note=event.note,
        rule=remedy.passage.id,
    )


VERBS: dict[type[events.Event], Callable[[Play, Any, int], Answer]] = {
    events.TableOpened: _table_opened,
    events.TableClosed: _table_closed,
    events.LimitsChanged: _limits_changed,
    events.DealerIn: _dealer_in,
    events.Heartbeat: _heartbeat,
    events.ShoeStarted: _shoe_started,
    events.CutCardPlaced: _cut_card_placed,
    events.Burned: _burned,
    events.BettingOpened: _betting_opened,
    events.Bets: _bets,
    events.BetsCancelled: _bets_cancelled,
    events.BettingClosed: _betting_closed,
    events.CardDealt: _card,
    events.CardCorrected: _card_corrected,
    events.CardOut: _card_out,
    events.ScanFailed: _scan_failed,
    events.InsuranceOpened: _insurance_opened,
    events.InsuranceClosed: _insurance_closed,
    events.BlueCard: _blue_card,
    events.RedealStarted: _redeal_started,
    events.RoundResult: _round_result,
    events.ShoeEnded: _shoe_ended,
    events.Incident: _incident,
}
