"""A rulebook as its page shows it: every bet with what it pays and what it is worth, the rules in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from tables.models import Rulebook
from tables.queries.rulebooks import rules_of
from tables.rules.document_changes import Change, changes_between
from tables.rules.odds import BetOdds, InsuranceOdds, odds_of
from tables.rules.rulebook import Bet, Passage
from tables.rules.rulebook import Rulebook as Rules


class Prize(NamedTuple):
    """What a bet can bring, per unit staked, and how likely that is."""

    net: Fraction
    chance: Fraction


@dataclass(frozen=True, slots=True)
class PricedBet:
    """A bet with the exact worth of it in a fresh shoe."""

    bet: Bet
    prizes: tuple[Prize, ...]  # what it wins, the likeliest first
    push: Fraction  # how likely the stake comes back
    house_edge: Fraction


@dataclass(frozen=True, slots=True)
class PricedInsurance:
    """Insurance in one situation, how often that comes, and its worth there."""

    sold: InsuranceOdds
    chance: Fraction


@dataclass(frozen=True, slots=True)
class RulebookPage:
    rules: Rules
    bets: tuple[PricedBet, ...]
    insurance: tuple[PricedInsurance, ...]
    combinations: int
    passages: tuple[Passage, ...]


class Version(NamedTuple):
    """A version of a rulebook and how it differs from the one that came before it."""

    rulebook: Rulebook
    changes: tuple[Change, ...] | None  # None: the first


@lru_cache(maxsize=64)
def read_rulebook_page(rulebook_id: int) -> RulebookPage:
    """Price a published version; it is immutable, so it is worked out once a process.

    :raises Rulebook.DoesNotExist: if there is none.
    """
    rules = rules_of(rulebook_id)
    odds = odds_of(rules)
    everything = odds.shoe.combinations
    return RulebookPage(
        rules=rules,
        bets=tuple(_price(rules.bets[kind], worth, everything) for kind, worth in odds.bets.items()),
        insurance=tuple(
            PricedInsurance(sold, Fraction(sold.combinations, everything)) for sold in odds.insurance
        ),
        combinations=everything,
        passages=tuple(rules.passages.values()),
    )


def _price(bet: Bet, worth: BetOdds, everything: int) -> PricedBet:
    prizes = [Prize(net, Fraction(count, everything)) for net, count in worth.returns.items() if net > 0]
    push = Fraction(worth.returns.get(Fraction(0), 0), everything)
    return PricedBet(bet, tuple(sorted(prizes, key=lambda one: -one.chance)), push, worth.house_edge)


def history_of(code: str) -> list[Version]:
    """Return the versions of a rulebook, the newest first, each against the one before it, in one query."""
    versions = list(Rulebook.objects.filter(code=code).order_by("version"))
    found = [
        Version(now, changes_between(before.document, now.document) if before else None)
        for before, now in zip([None, *versions[:-1]], versions, strict=True)
    ]
    return found[::-1]
