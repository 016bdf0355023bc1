"""Tags of the pages of complaints: badges, and the clock that says how long there is left."""

from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit import complaint_words as words
from audit.rules.deadlines import share_passed, time_left
from tables.templatetags.felt import clock_text, day, state_badge, zone_name
from tables.words import State, spoken

register = template.Library()
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
MINUTES_A_DAY = 24 * 60


@register.simple_tag
def complaint_state(complaint: Any) -> SafeString:
    """Show a complaint's state, and with a closed one what became of it."""
    state = words.COMPLAINT_STATES[complaint.status]
    note = ""
    if complaint.status == "closed":
        note = str(words.OUTCOMES.get(complaint.outcome, _("merged")))
    elif complaint.status == "refused":
        note = spoken(words.REFUSED_BECAUSE, complaint.refusal)
    return state_badge(state, note)


@register.simple_tag
def match_state(match: str) -> SafeString:
    """Show whether a detail agrees with the record."""
    return state_badge(words.MATCHES[match])


@register.simple_tag
def video_state(hold: Any) -> SafeString:
    """Show whether a piece of video is held."""
    return state_badge(words.VIDEO_STATES[hold.status])


@register.simple_tag
def recorder_said(hold: Any) -> SafeString:
    """Show why video is not held: in the reader's words where they are known, else as a quotation."""
    word = words.RECORDER_REASONS.get(hold.last_error)
    if word is not None:
        return format_html("<dt>{}</dt><dd>{}</dd>", _("Recorder said"), word)
    title = _("In the recorder’s own words") if hold.answered_at else _("Why there is no answer yet")
    return format_html('<dt>{}</dt><dd><q lang="en">{}</q></dd>', title, hold.last_error)


@register.simple_tag
def consent_state(consent: Any) -> SafeString:
    """Show what became of a request for consent."""
    return state_badge(words.CONSENT_STATES[consent.status])


@register.filter
def word_of(code: str, table: str) -> str:
    """Return the word for a code, from a table of words as `CHANNELS`."""
    return spoken(getattr(words, table), code)


def say_left(left: timedelta) -> str:
    """Write how long there is left: `3 h 12 min left`, `9 days 23 h left`, `10 days left`, `over`."""
    if left < timedelta(0):
        return _("Over")
    minutes = int(left.total_seconds()) // 60
    if left >= 2 * DAY:
        # A minute begun counts whole, so that ten days are called ten the moment after they were given.
        days, rest = divmod(-(-left // MINUTE), MINUTES_A_DAY)
        hours = rest // 60
        if hours:
            return _("%(days)s days %(hours)s h left") % {"days": days, "hours": hours}
        return ngettext("%(days)s day left", "%(days)s days left", days) % {"days": days}
    said = {"hours": minutes // 60, "minutes": minutes % 60}
    return (
        _("%(hours)s h %(minutes)s min left") % said if said["hours"] else (_("%(minutes)s min left") % said)
    )


@register.filter
def left_until(until: datetime | None, now: datetime) -> str:
    """Write how long a moment is away."""
    return say_left(time_left(now, until)) if until else ""


def tone_of(left: timedelta) -> str:
    """Choose the colour of a clock: over, soon, or with time to spare."""
    if left < timedelta(0):
        return "wrong"
    return "waits" if left < timedelta(hours=6) else "running"


@register.simple_tag
def left_badge(until: datetime, now: datetime, zone: str) -> SafeString:
    """Show in a list how long a deadline is away, and on a line under it when it ends, there and in UTC."""
    left = time_left(now, until)
    badge = state_badge(State(tone_of(left), "clock", say_left(left)))
    there, utc = day(until, zone), day(until, "UTC")
    ends = f"{clock_text(until, zone)[:5]} {zone_name(zone)}, {there}"
    if zone != "UTC":
        ends += f" · {clock_text(until, 'UTC')[:5]} UTC" + (f", {utc}" if utc != there else "")
    return format_html('<span class="bc-left">{}<span class="bc-nowrap">{}</span></span>', badge, ends)


@register.simple_tag
def escalated_badge(complaint: Any) -> SafeString | str:
    """Show that an answer is nearly due, as long as somebody still has to give it."""
    if complaint.escalated_at is None or not complaint.is_waited_for:
        return ""
    return state_badge(State("wrong", "triangle", _("Escalated")))


@register.inclusion_tag("bluecard/complaint/clock.html")
def complaint_clock(
    start: datetime, until: datetime, now: datetime, zone: str, kind: str, label: Any
) -> dict:
    """Draw a clock: how long there is left, a bar, and its end in the table's zone and in UTC."""
    left = time_left(now, until)
    return {
        "start": start,
        "until": until,
        "now": now,
        "zone": zone,
        "kind": kind,
        "label": label,
        "left": say_left(left),
        "tone": tone_of(left),
        "is_over": left < timedelta(0),
        "width": round(1000 * share_passed(start, until, now)),
    }
