"""`manage.py odds RULEBOOK [--json]`: exact odds of every bet of a rulebook, without a database."""

import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.rulebooks import SHIPPED, load_shipped
from tables.rules.document import RulebookError, parse_rulebook
from tables.rules.odds import RulebookOdds, odds_of
from tables.rules.rulebook import INSURANCE_KINDS, Rulebook


class Command(BaseCommand):
    help = "Count all coups of a fresh shoe and give probability and house edge of every bet of a rulebook."
    requires_system_checks: list[str] = []  # nothing here needs a database or a setting

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("rulebook", help=f"one of {', '.join(SHIPPED)}, or the path of a document")
        parser.add_argument("--json", action="store_true", help="exact figures for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        rulebook = _rulebook(options["rulebook"])
        odds = odds_of(rulebook)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(odds), ensure_ascii=False))
        else:
            self.stdout.write("\n".join(as_table(rulebook, odds)))


def _rulebook(name: str) -> Rulebook:
    if name in SHIPPED:
        return load_shipped(name)
    try:
        return parse_rulebook(Path(name).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise CommandError(f"no rulebook {name!r}: neither a file nor one of {', '.join(SHIPPED)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} cannot be read: {error}") from error
    except RulebookError as error:
        raise CommandError(f"{name} is no valid rulebook:\n{error}") from error


def as_json(odds: RulebookOdds) -> dict[str, Any]:
    """Shape the odds for `--json`: combinations as text, fractions in lowest terms."""
    return {
        "rulebook": odds.rulebook_id,
        "decks": odds.shoe.decks,
        "combinations": str(odds.shoe.combinations),
        "outcomes": {outcome.value: str(count) for outcome, count in odds.shoe.outcomes.items()},
        "bets": {
            kind: {
                "returns": [
                    {"net": str(net), "combinations": str(count)} for net, count in bet.returns.items()
                ],
                "house_edge": str(bet.house_edge),
            }
            for kind, bet in odds.bets.items()
        },
        "insurance": [
            {
                "side": entry.side.value,
                "phase": entry.visible.phase.value,
                "player_total": entry.visible.player_total,
                "banker_total": entry.visible.banker_total,
                "odds": str(entry.odds),
                "combinations": str(entry.combinations),
                "house_edge": str(entry.house_edge),
            }
            for entry in odds.insurance
        ],
    }


def as_table(rulebook: Rulebook, odds: RulebookOdds) -> Iterator[str]:
    """Lay the same out for people, with probabilities and percentages."""
    everything = odds.shoe.combinations
    yield f"{rulebook.title.en} ({rulebook.id}), {odds.shoe.decks} decks, {everything:,} combinations"
    yield ""
    yield f"{'Outcome':<26}{'combinations':>26}{'probability':>14}"
    for outcome, count in odds.shoe.outcomes.items():
        yield f"{outcome.value.capitalize():<26}{count:>26,}{_percent(Fraction(count, everything)):>14}"
    yield ""
    yield f"{'Bet':<26}{'net per unit':>14}{'combinations':>26}{'probability':>14}{'house edge':>14}"
    for kind, bet in odds.bets.items():
        title, edge = rulebook.bets[kind].title.en, _percent(bet.house_edge)
        for net, count in bet.returns.items():
            chance = _percent(Fraction(count, everything))
            yield f"{title:<26}{_signed(net):>14}{count:>26,}{chance:>14}{edge:>14}".rstrip()
            title = edge = ""
    if odds.insurance:
        yield ""
        yield (
            f"{'Insurance':<20}{'sold after':<16}{'Player':>7}{'Banker':>7}{'odds':>7}"
            f"{'combinations':>23}{'probability':>14}{'house edge':>14}"
        )
    for entry in odds.insurance:
        phase, player_total, banker_total = entry.visible
        yield (
            f"{INSURANCE_KINDS[entry.side].replace('_', ' ').capitalize():<20}"
            f"{phase.value.replace('_', ' '):<16}{player_total:>7}{banker_total:>7}{_decimal(entry.odds):>7}"
            f"{entry.combinations:>23,}{_percent(Fraction(entry.combinations, everything)):>14}"
            f"{_percent(entry.house_edge):>14}"
        )


def _percent(share: Fraction) -> str:
    return f"{Decimal(share.numerator * 100) / share.denominator:.4f} %"


def _decimal(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / number.denominator:.6f}".rstrip("0").rstrip(".")


def _signed(net: Fraction) -> str:
    return f"{'+' if net > 0 else ''}{_decimal(net)}"
