"""Tags of a rulebook's page: odds, shares and the words of its sources."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tables.rules.rulebook import HOUSE, Passage, Rulebook, Text
from tables.templatetags.felt import spoken_language

register = template.Library()

SHARE_PLACES = 4


@register.filter
def own_words(text: Text) -> str:
    """Say a text of the rulebook in the language of this request."""
    return text.in_language(spoken_language())


@register.filter
def other_words(text: Text) -> str:
    """Say a text of the rulebook in the other of its two languages."""
    return text.en if spoken_language() == "th" else text.th


@register.simple_tag
def other_language() -> str:
    """Return the code of the language that is not this request's."""
    return "en" if spoken_language() == "th" else "th"


@register.filter
def odds(value: Fraction) -> str:
    """Write odds to one: `8`, `0.95`, `1/3` where no decimal is exact."""
    for places in range(4):
        if (value * 10**places).denominator == 1:
            return f"{Decimal(int(value * 10**places)).scaleb(-places):f}"
    return f"{value.numerator}/{value.denominator}"


@register.filter
def share(value: Fraction) -> SafeString:
    """Write a share as percent to four places; the exact fraction is its title."""
    tens = round(value * 100 * 10**SHARE_PLACES)
    text = f"{Decimal(tens).scaleb(-SHARE_PLACES):f}".replace("-", "−")
    return format_html('<span title="{}">{} %</span>', exact(value), text)


@register.filter
def percent(value: Fraction) -> str:
    """Write a share the rulebook names, such as a commission: `5 %`."""
    return f"{odds(value * 100)} %"


@register.filter
def exact(value: Fraction) -> str:
    """Write a fraction in lowest terms, with the true minus."""
    return f"{value.numerator}/{value.denominator}".replace("-", "−")


@register.simple_tag
def source_of(rules: Rulebook, passage: Passage) -> str:
    """Say where a passage comes from: one of the house's documents, or the house itself."""
    if passage.source == HOUSE:
        return _("the house")
    return own_words(rules.sources[passage.source])


@register.filter
def window_words(window: Any) -> str:
    """Say in which rounds of a shoe a bet is open."""
    if window is None:
        return ""
    if window.last is None:
        return _("from round %(first)s") % {"first": window.first}
    return _("rounds %(first)s to %(last)s") % {"first": window.first, "last": window.last}
