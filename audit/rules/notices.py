"""What a player is told about a decision, in English and Thai; `{moved}` is filled in for each player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Language = Literal["en", "th"]


@dataclass(frozen=True, slots=True)
class Happening:
    """What was decided about a round, for everybody in it."""

    kind: str  # of the ruling
    round_id: str
    rule_en: str
    rule_th: str
    before: str  # the outcome before, empty if there was none
    after: str
    currency: str
    scale: int
    is_paid: bool = True  # False while the round has yet to be settled: nothing moves by the decision itself


_OUTCOMES: Final = {
    "": {"en": "no result", "th": "ยังไม่มีผล"},
    "void": {"en": "void", "th": "โมฆะ"},
    "player": {"en": "Player wins", "th": "เพลเยอร์ชนะ"},
    "banker": {"en": "Banker wins", "th": "แบงเกอร์ชนะ"},
    "tie": {"en": "tie", "th": "เสมอ"},
}
_WHAT: Final = {
    "void_round": {"en": "was declared void", "th": "ถูกประกาศเป็นโมฆะ"},
    "void_range": {"en": "was declared void", "th": "ถูกประกาศเป็นโมฆะ"},
    "void_shoe": {"en": "was declared void with its shoe", "th": "ถูกประกาศเป็นโมฆะพร้อมทั้งขอนไพ่"},
    "void_kinds": {
        "en": "keeps its result; some kinds of bet are void",
        "th": "ยังมีผลตามเดิม แต่เดิมพันบางประเภทเป็นโมฆะ",
    },
    "re_deal": {"en": "is dealt again; your bets stand", "th": "จะแจกไพ่ใหม่ โดยเดิมพันของท่านยังคงอยู่"},
    "correct": {"en": "was settled again after its cards were put right", "th": "ถูกคิดผลใหม่หลังแก้ไขไพ่ให้ถูกต้อง"},
    "reinstate": {"en": "counts again", "th": "กลับมามีผลอีกครั้ง"},
}
_FORMS: Final = {
    "en": "Round {round} {what}. Before: {before}. Now: {after}. {money} Rule: {rule}",
    "th": "รอบ {round} {what} ผลเดิม: {before} ผลใหม่: {after} {money} กติกา: {rule}",
}
_PAID: Final = {
    "en": "Your balance changes by {{moved}} {currency}.",
    "th": "ยอดเงินของท่านเปลี่ยนแปลง {{moved}} {currency}",
}
_UNPAID: Final = {
    "en": "Nothing was paid yet: the round is settled by this decision.",
    "th": "ยังไม่มีการจ่ายเงิน รอบนี้จะคิดผลตามคำวินิจฉัยนี้",
}
# Of a kind that is void, the player's sum is what was staked on it by now: bets may still be open.
_STAKES_BACK: Final = {
    "en": "Nothing was paid yet: your stakes on them so far, {{moved}} {currency}, come back when it is "
    "settled.",
    "th": "ยังไม่มีการจ่ายเงิน เงินเดิมพันประเภทนั้นของท่านจนถึงขณะนี้ {{moved}} {currency} จะคืนให้เมื่อคิดผลรอบนี้",
}


def notice_text(happening: Happening, language: Language) -> str:
    """Write the notice of a decision; the place for the player's sum stays `{moved}`."""
    return _FORMS[language].format(
        money=_money_form(happening)[language].format(currency=happening.currency),
        round=happening.round_id,
        what=_WHAT[happening.kind][language],
        before=_OUTCOMES[happening.before][language],
        after=_OUTCOMES[happening.after][language],
        rule=happening.rule_th if language == "th" else happening.rule_en,
    )


def _money_form(happening: Happening) -> Mapping[str, str]:
    if happening.is_paid:
        return _PAID
    return _STAKES_BACK if happening.kind == "void_kinds" else _UNPAID
