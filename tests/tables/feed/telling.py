"""What tests of the feed say card by card, and what they ask of the record afterwards."""

from typing import Any

from tables.models import Finding
from tables.services.settlement import Waits, settle_round
from tests.tables.playing import Platform


def found(platform: Platform) -> list[tuple[str, bool]]:
    return list(Finding.objects.order_by("pk").values_list("code", "may_change_money"))


def only_finding() -> dict[str, Any]:
    return Finding.objects.get().data


def deal_raw(platform: Platform, name: str, *placed: tuple[str, str]) -> None:
    platform.say("betting_closed", round=name)
    for place, card in placed:
        platform.say("card", round=name, place=place, card=card)


def claim(platform: Platform, name: str, outcome: str, player: int, banker: int) -> None:
    platform.say("round_result", round=name, outcome=outcome, player_total=player, banker_total=banker)


def why_it_waits(platform: Platform, name: str) -> tuple[str, ...]:
    answer = settle_round(round_id=platform.round(name).pk, now=platform.at)
    assert isinstance(answer, Waits)
    return answer.reasons
