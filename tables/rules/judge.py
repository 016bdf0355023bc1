"""Judging a coup on paper: one JSON line in, one JSON line out.

Lines come by the hundred thousand, so what a rulebook makes of a coup is looked up by the few facts it
follows from, and odds are kept as pairs of integers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from tables.rules.acceptance import Refusal, Situation, refusal, stage_of
from tables.rules.bets import NO_PHASE, ended_for
from tables.rules.cards import CARD_BY_TEXT, hand_total
from tables.rules.drawing import Coup, IllegalCoup, IllegalCoupCode, Outcome, read_coup
from tables.rules.facts import Facts, facts_of
from tables.rules.insurance import Offers, rows_of_coup
from tables.rules.judge_lines import BadLine, BetLine, Line, read_line
from tables.rules.rulebook import INSURANCE_KINDS, Phase, Rulebook, Side, UnknownRulebook
from tables.rules.verdict import Result, Verdict

__all__ = ["BadLine", "Judge"]

_REFUSED: Final = "refused"
_ENCODE: Final = msgspec.json.Encoder().encode


class Answer(msgspec.Struct):
    """What became of one bet."""

    id: str
    result: str
    returned: int
    net: int
    odds: str | None
    reason: str | None


class _Settled(NamedTuple):
    """A verdict ready to be applied to stakes."""

    result: str
    numerator: int
    denominator: int
    odds: str | None


class _Insured(NamedTuple):
    """What insurance a coup offered: the odds, the verdicts, and the part of the answer that shows it."""

    offers: Offers
    settled: Mapping[tuple[str, str], _Settled]
    shown: Mapping[str, Mapping[str, str | None]]


class _Book:
    """A rulebook with what it makes of coups, kept once worked out."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.stages = {kind: stage_of(rulebook, kind) for kind in rulebook.kinds}
        self._settled: dict[Facts, Mapping[str, _Settled]] = {}
        self._insured: dict[tuple[int, int, int | None, Outcome], _Insured] = {}

    def settled(self, coup: Coup) -> Mapping[str, _Settled]:
        """Give what becomes of every bet that is no insurance, by kind."""
        facts = facts_of(coup)
        found = self._settled.get(facts)
        if found is None:
            found = {kind: _settle(bet.verdict(facts)) for kind, bet in self.rulebook.bets.items()}
            self._settled[facts] = found
        return found

    def insured(self, coup: Coup) -> _Insured:
        """Give the insurance offered in the course of a coup."""
        if self.rulebook.insurance is None:
            return _NOTHING_INSURED
        player, banker = coup.player, coup.banker
        third = player[2].value if len(player) == 3 else None
        key = (hand_total(player[:2]), hand_total(banker[:2]), third, coup.outcome)
        found = self._insured.get(key)
        if found is None:
            found = self._insured[key] = self._work_out_insurance(coup)
        return found

    def _work_out_insurance(self, coup: Coup) -> _Insured:
        rows = rows_of_coup(self.rulebook, coup)
        return _Insured(
            offers={(INSURANCE_KINDS[side], phase.value): row.odds for (side, phase), row in rows.items()},
            settled={
                (INSURANCE_KINDS[side], phase.value): _settle(row.verdict(ended_for(side, coup.outcome)))
                for (side, phase), row in rows.items()
            },
            shown={
                side.value: {
                    phase.value: str(rows[side, phase].odds) if (side, phase) in rows else None
                    for phase in Phase
                }
                for side in Side
            },
        )


_NOTHING_INSURED: Final = _Insured(
    {}, {}, {side.value: {phase.value: None for phase in Phase} for side in Side}
)


@cache
def _settle(verdict: Verdict) -> _Settled:
    odds = verdict.odds
    if verdict.result is Result.WON and odds is not None:
        return _Settled(Result.WON.value, odds.numerator, odds.denominator, str(odds))
    return _Settled(verdict.result.value, 0, 1, None)


class Judge:
    """Answers lines one by one; `find_rulebook` gives the rulebook of an id or path."""

    def __init__(self, find_rulebook: Callable[[str], Rulebook]) -> None:
        self._find_rulebook = find_rulebook
        self._books: dict[str, _Book] = {}
        self._unknown: dict[str, str] = {}

    def answer(self, raw: bytes) -> tuple[bytes, bool]:
        """Answer one line, without its line end, and say whether it could be read at all."""
        try:
            line = read_line(raw)
            book = self._book(line)
        except BadLine as error:
            return _encode({"id": error.line_id, "valid": False, "error": str(error)}), False
        return _encode(_judge(line, book)), True

    def _book(self, line: Line) -> _Book:
        name = line.rulebook
        book = self._books.get(name)
        if book is None:
            if name not in self._unknown:
                try:
                    book = self._books[name] = _Book(self._find_rulebook(name))
                except UnknownRulebook as error:
                    self._unknown[name] = str(error)
                else:
                    return book
            raise BadLine(f"rulebook: {self._unknown[name]}", line.id)
        return book


def _encode(answer: Mapping[str, Any]) -> bytes:
    try:
        return _ENCODE(answer)
    except UnicodeEncodeError:  # half a surrogate pair in an id: JSON can say it, UTF-8 cannot
        return json.dumps(msgspec.to_builtins(answer)).encode("ascii")


def _judge(line: Line, book: _Book) -> Mapping[str, Any]:
    try:
        coup = _read_cards(line.cards, book.rulebook.decks)
    except IllegalCoup as error:
        return {
            "id": line.id,
            "valid": False,
            "error": str(error),
            "player": None,
            "banker": None,
            "outcome": None,
            "insurance": None,
            "bets": [],
        }
    insured = book.insured(coup)
    return {
        "id": line.id,
        "valid": True,
        "error": None,
        "player": {
            "cards": [str(card) for card in coup.player],
            "total": coup.player_total,
            "natural": coup.player_natural,
        },
        "banker": {
            "cards": [str(card) for card in coup.banker],
            "total": coup.banker_total,
            "natural": coup.banker_natural,
        },
        "outcome": coup.outcome.value,
        "insurance": insured.shown,
        "bets": _judge_bets(line, book, coup, insured),
    }


def _read_cards(cards: list[str], decks: int) -> Coup:
    """Read the coup; more copies of a card than the decks hold are named before anything else.

    :raises IllegalCoup: if the cards break the drawing rules.
    """
    if len(cards) > decks:
        copies: Counter[str] = Counter()
        for position, card in enumerate(cards, start=1):
            copies[card] += 1
            if copies[card] > decks and card in CARD_BY_TEXT:
                message = f"card {position} ({card}) is one copy more than the {decks} decks hold"
                due = "another card, or none, was due"
                raise IllegalCoup(
                    IllegalCoupCode.TOO_MANY_COPIES, f"{message}; {due}", position=position, due=None
                )
    return read_coup(cards, decks)


def _judge_bets(line: Line, book: _Book, coup: Coup, insured: _Insured) -> list[Answer | None]:
    """Answer the bets in the order listed, main bets being looked at before what depends on them."""
    situation = Situation(line.round_number, line.animation, insured.offers)
    settled = book.settled(coup)
    accepted: dict[str | None, dict[tuple[str, str], int]] = {}
    answers: list[Answer | None] = [None] * len(line.bets)
    waiting: list[tuple[int, int, BetLine]] = []
    stages = book.stages
    for place, bet in enumerate(line.bets):
        stage = stages.get(bet.bet, 0)
        if stage:
            waiting.append((stage, place, bet))
        else:
            answers[place] = _answer(bet, NO_PHASE, book, situation, accepted, settled.get(bet.bet))
    waiting.sort(key=lambda entry: entry[:2])
    for stage, place, bet in waiting:
        phase = bet.phase if stage == 2 and bet.phase else NO_PHASE
        verdict = insured.settled.get((bet.bet, phase)) if stage == 2 else settled[bet.bet]
        answers[place] = _answer(bet, phase, book, situation, accepted, verdict)
    return answers


def _answer(
    bet: BetLine,
    phase: str,
    book: _Book,
    situation: Situation,
    accepted: dict[str | None, dict[tuple[str, str], int]],
    settled: _Settled | None,
) -> Answer:
    stake = bet.stake
    mine = accepted.get(bet.player)
    if mine is None:
        mine = accepted[bet.player] = {}
    reason = refusal(book.rulebook, situation, mine, bet.bet, phase, stake)
    if reason is not None or settled is None:
        returned = 0 if reason is Refusal.BAD_STAKE else stake
        return Answer(bet.id, _REFUSED, returned, 0, None, reason.value if reason is not None else None)
    key = (bet.bet, phase)
    mine[key] = mine.get(key, 0) + stake
    result, numerator, denominator, odds = settled
    if result == "won":
        won = (
            numerator * stake
            if denominator == 1
            else book.rulebook.rounding.apply(numerator * stake, denominator)
        )
        return Answer(bet.id, result, stake + won, won, odds, None)
    if result == "lost":
        return Answer(bet.id, result, 0, -stake, None, None)
    return Answer(bet.id, result, stake, 0, None, None)
