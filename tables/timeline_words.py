"""The lines of a round's timeline in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables import words
from tables.queries.coups import Correction, DealtCard
from tables.queries.timeline import Happening, Moment
from tables.refusal_words import error_words
from tables.templatetags.felt import card_chip

_TONES = {
    Happening.SCAN_FAILED: "waits",
    Happening.EVENT_REFUSED: "wrong",
    Happening.CARD_CORRECTED: "corrected",
    Happening.DEAL_KILLED: "waits",
    Happening.FINDING: "waits",
    Happening.HELD: "waits",
    Happening.SETTLED: "done",
    Happening.VOIDED: "done",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line as the page shows it; `aside` is said more quietly."""

    at: datetime
    tone: str
    words: SafeString | str
    aside: SafeString | str = ""


def timeline_lines(moments: Iterable[Moment], outcomes: dict[int, str]) -> list[Line]:
    """Put a timeline into words; `outcomes` says how each settlement, by its key, ended."""
    return [_line(moment, outcomes) for moment in moments]


def _line(moment: Moment, outcomes: dict[int, str]) -> Line:
    said, aside = _say(moment, outcomes)
    tone = _TONES.get(moment.what, "plain")
    if moment.what is Happening.CARDS and moment.values["source"] != "scan":
        tone = "waits"
    return Line(moment.at, tone, said, aside)


def _say(moment: Moment, outcomes: dict[int, str]) -> tuple[SafeString | str, SafeString | str]:
    values = moment.values
    match moment.what:
        case Happening.BETTING_OPENED:
            return _("Betting opened"), ""
        case Happening.BELL:
            return _("Bell: betting closed"), _count_bets(values["accepted"], values["refused"])
        case Happening.CARDS:
            return _cards(values["cards"], values["deal"]), words.spoken(words.CARD_SOURCES, values["source"])
        case Happening.CARD_CORRECTED:
            change: Correction = values["change"]
            place = words.spoken(words.CARD_ORDINALS, change.ordinal)
            was, now = card_chip(change.was), card_chip(change.now)
            return format_html("{} {} {} → {}", _("Corrected:"), place, was, now), ""
        case Happening.SCAN_FAILED:
            return _("The scanner did not read a card"), ""
        case Happening.EVENT_REFUSED:
            what = words.spoken(words.EVENT_TYPES, values["type"])
            said = _("Event %(seq)s (%(type)s) refused") % {"seq": values["seq"], "type": what}
            return said, error_words(values["error"])
        case Happening.INSURANCE_OPENED:
            return _("Insurance opened"), words.spoken(words.PHASES, values["phase"])
        case Happening.INSURANCE_CLOSED:
            return _("Insurance closed"), words.spoken(words.PHASES, values["phase"])
        case Happening.DEAL_KILLED:
            return _("Deal %(number)s is dead, dealt again") % {"number": values["deal"]}, ""
        case Happening.RESULT:
            return _("Result"), _claim(values["claimed"])
        case Happening.FINDING:
            return words.spoken(words.FINDINGS, values["code"]), ""
        case Happening.HELD:
            return _("Round held"), words.spoken(words.FINDINGS, values["reason"])
        case Happening.LIFTED:
            return _("Hold lifted"), values["by"]
    settlement = values["settlement"]
    number = settlement.revision
    if moment.what is Happening.VOIDED:
        return _("Void, revision %(number)s: every bet returned") % {"number": number}, ""
    said = format_html(
        "{} <b>{}</b>",
        _("Settled, revision %(number)s:") % {"number": number},
        outcomes.get(settlement.pk, ""),
    )
    return said, ""


def _count_bets(accepted: int, refused: int) -> str:
    text = ngettext("%(count)s bet accepted", "%(count)s bets accepted", accepted) % {
        "count": f"{accepted:,}"
    }
    return text + (", " + _("%(count)s refused") % {"count": f"{refused:,}"} if refused else "")


def _cards(cards: Sequence[DealtCard], deal: int | None) -> SafeString:
    first, last = cards[0].ordinal, cards[-1].ordinal
    if first == last:
        said = words.spoken(words.CARD_ORDINALS, first)
    else:
        said = _("Cards %(first)s to %(last)s") % {"first": first, "last": last}
    if deal is not None:
        said = _("Deal %(number)s:") % {"number": deal} + " " + said
    if len(cards) == 1:
        side = words.OUTCOMES["player" if cards[0].place.value[0] == "P" else "banker"]
        said = f"{said}, {side}"
    return format_html(
        "{} {}", said, format_html_join(" ", "{}", ((card_chip(card.face),) for card in cards))
    )


def _claim(claimed: Any) -> str:
    outcome = claimed.get("outcome") if isinstance(claimed, dict) else None
    if outcome not in words.WINNERS:
        return ""
    return _("the table says: %(outcome)s") % {"outcome": words.WINNERS[outcome]}
