"""The settings of complaints, checked when the product starts and not when the first player complains."""

from collections.abc import Sequence
from datetime import date

from django.core.exceptions import ImproperlyConfigured

from audit.rules.deadlines import parse_period

WHEN_INCOMPLETE = ("refuse", "wait")


def check_complaint_settings(
    *, window: str, answer: str, holidays: Sequence[str], when_incomplete: str
) -> None:
    """Raise unless every setting of complaints can be read.

    :raises ImproperlyConfigured: naming the setting.
    """
    for name, text in (("COMPLAINT_FILING_WINDOW", window), ("COMPLAINT_ANSWER_WITHIN", answer)):
        try:
            if text:
                parse_period(text)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {error}") from error
    for text in holidays:
        try:
            date.fromisoformat(text)
        except ValueError as error:
            raise ImproperlyConfigured(f"COMPLAINT_HOLIDAYS: {text!r} is no day as 2026-12-07") from error
    if when_incomplete not in WHEN_INCOMPLETE:
        raise ImproperlyConfigured(f"COMPLAINT_WHEN_INCOMPLETE is refuse or wait, not {when_incomplete!r}")
