"""What the page of a ruling shows: the two coups, the rule, the money, the checks, how far it got."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audit import words
from audit.admin.attachment import attachments_context
from audit.admin.refusals import Refusal
from audit.admin.ruling_words import (
    incident_title,
    rule_of,
    ruling_badge,
    say_outcome,
    subject_of,
    title_of,
)
from audit.admin.two_coups import MarkedCoup, compare_coups, one_coup
from audit.models import Ruling, RulingKind, RulingRound, RulingStatus
from audit.queries.approvals import Checks, checks_of
from audit.queries.ruling_money import RulingMoney, house_result_before, money_of_ruling
from audit.queries.ruling_page import (
    ROUNDS_SHOWN,
    TOLD_SHOWN,
    Progress,
    cards_of,
    failing_of,
    notices_of,
    open_hold_of,
    progress_of,
    rounds_of,
    told_of,
)
from audit.queries.ruling_wallet import wallet_state_of
from audit.services.applying import MOST_TRIES
from audit.services.rulings import EXPIRES_AFTER
from tables.admin.record import Crumb
from tables.templatetags.felt import money, state_badge
from tables.words import BET_KINDS, State, spoken

PLAYERS_SHOWN = 12
UNDER_WAY = frozenset({RulingStatus.APPROVED, RulingStatus.APPLYING})
HELD_LONG = timedelta(minutes=10)
RING = 94.2  # the way around the ring of the time left


class Check(NamedTuple):
    """One line of the decision box: whether it is fulfilled, and what it is."""

    is_fine: bool
    icon: str
    words: str


class TwoCoups(NamedTuple):
    """The coup as recorded and as it would be; the second is a sentence where no card moves."""

    before: MarkedCoup
    before_badge: SafeString
    after: MarkedCoup | None
    after_badge: SafeString
    after_words: str


def ruling_context(
    request: HttpRequest,
    ruling: Ruling,
    now: datetime,
    *,
    refusal: Refusal | None = None,
    typed: QueryDict | None = None,
) -> dict[str, Any]:
    """Prepare the page of a ruling for whoever looks at it."""
    progress = progress_of(ruling)
    page = _page(request, "rounds")
    rows = rounds_of(ruling, page)
    only = rows[0] if ruling.rounds_count == 1 else None
    status = RulingStatus(ruling.status)
    rulebook = (
        ruling.incident.rulebook
        if ruling.incident
        else (rows[0].round.rulebook if rows else ruling.table.rulebook)
    )
    may_see_money = request.user.has_perm("tables.view_settlement")
    players_page = _page(request, "players")
    offset = (players_page - 1) * PLAYERS_SHOWN
    ruling_money = money_of_ruling(ruling, limit=PLAYERS_SHOWN, offset=offset) if may_see_money else None
    is_waiting = status is RulingStatus.REQUESTED
    is_late = is_waiting and now > ruling.expires_at
    hold = open_hold_of(ruling)
    notices_count, notices = notices_of(ruling)
    subject = subject_of(ruling, progress.first, progress.last)
    net = int(ruling.given_minor - ruling.taken_minor)
    return {
        **attachments_context(request, ruling),
        "ruling": ruling,
        "outcome": say_outcome(ruling.outcome_note),
        "title": title_of(RulingKind(ruling.kind), subject),
        "crumbs": [Crumb(_("Rulings"), reverse("admin:audit_ruling_changelist")), Crumb(ruling.number)],
        "badge": ruling_badge(ruling),
        "only": only,
        "rows": rows[:ROUNDS_SHOWN] if only is None else [],
        "rounds_page": page,
        "has_more_rounds": len(rows) > ROUNDS_SHOWN,
        "progress": progress,
        "coups": _coups(ruling, only) if only else None,
        "rule": rule_of(rulebook, ruling.passage),
        # Without an incident there was nothing for a rule to propose.
        "rule_proposed": ruling.is_proposed_by_rule
        if ruling.incident or ruling.is_proposed_by_rule
        else None,
        "incident_title": incident_title(ruling.incident) if ruling.incident else "",
        "money": ruling_money,
        "may_see_money": may_see_money,
        "wallet": wallet_state_of(ruling) if request.user.has_perm("tables.view_walletdelivery") else None,
        "net_minor": net,
        **house_result(_revisions(ruling) if may_see_money else {}, net),
        "players_from": offset + 1,
        "csv_url": reverse("admin:audit_ruling_players", args=[ruling.pk]),
        "json_url": reverse("admin:audit_ruling_moves", args=[ruling.pk]),
        "less_url": f"?players={players_page - 1}#players" if players_page > 1 else "",
        "more_url": f"?players={players_page + 1}#players" if _has_more(ruling_money, offset) else "",
        "balances_url": _balances_url(request, ruling, ruling_money, players_page),
        "kind_icon": words.KIND_ICONS[ruling.kind],
        "currency": ruling.table.currency,
        "zone": ruling.table.zone,
        "kinds_words": ", ".join(_bet_kind(kind) for kind in ruling.facts.get("kinds", ())),
        "also_words": [words.ALSO[name] for name in ruling.facts.get("also", ()) if name in words.ALSO],
        "is_waiting": is_waiting and not is_late,
        "is_late": is_late,
        "left": max(ruling.expires_at - now, timedelta(0)) if is_waiting else None,
        "ring": _ring(ruling, now),
        "hold": hold,
        "held_for": now - hold.placed_at if hold else None,
        "is_held_long": hold is not None and now - hold.placed_at > HELD_LONG,
        **_told(request, ruling),
        "notices": notices,
        "notices_count": notices_count,
        "refusal": refusal,
        "typed_reason": typed.get("reason", "") if typed is not None else "",
        **_decision(request, ruling, now, is_waiting and not is_late),
        **_running(request, ruling, progress, now),
    }


def _revisions(ruling: Ruling) -> dict[int, int]:
    """Return the revision of each of its rounds that a ruling was asked for at."""
    return dict(ruling.rounds.values_list("round_id", "base_revision"))


def house_result(revisions: Mapping[int, int], net_minor: int) -> dict[str, int]:
    """Say what the house keeps of rounds before and after; nothing where one of them was not settled."""
    before = house_result_before(revisions)
    return {} if before is None else {"house_before": before, "house_after": before - net_minor}


def _told(request: HttpRequest, ruling: Ruling) -> dict[str, Any]:
    """Prepare what the table was told, page by page."""
    page = _page(request, "told")
    rows = told_of(ruling, page)
    return {
        "told": [(each, spoken(words.TOLD, each.kind)) for each in rows[:TOLD_SHOWN]],
        "told_page": page,
        "has_more_told": len(rows) > TOLD_SHOWN,
    }


def _has_more(found: RulingMoney | None, offset: int) -> bool:
    return found is not None and found.players_count > offset + PLAYERS_SHOWN


def _balances_url(request: HttpRequest, ruling: Ruling, found: RulingMoney | None, page: int) -> str:
    """Say where to ask what players have: while it is to be decided whether to take something back."""
    if found is None or ruling.status != RulingStatus.REQUESTED:
        return ""
    takes_back = any(row.moved_minor < 0 for row in found.players)
    if not takes_back or not request.user.has_perm("tables.view_walletdelivery"):
        return ""
    return f"{reverse('admin:audit_ruling_balances', args=[ruling.pk])}?players={page}"


def _page(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) > 0 else 1


def _bet_kind(kind: str) -> str:
    return spoken(BET_KINDS, kind)


def _ring(ruling: Ruling, now: datetime) -> str:
    """Return how much of the ring is left, as the length of its dash."""
    share = max(0.0, min(1.0, (ruling.expires_at - now) / EXPIRES_AFTER))
    return f"{RING * share:.1f} {RING}"


def _coups(ruling: Ruling, row: RulingRound) -> TwoCoups | None:
    before, after = cards_of(ruling, row)
    if not before:
        return None
    decks = row.round.shoe.decks
    recorded = (
        state_badge(State("done", "tick", _("Settled, revision %(number)s") % {"number": row.base_revision}))
        if row.base_revision
        else state_badge(State("running", "clock", _("Not settled yet")))
    )
    is_done = row.status == "applied"
    word = _("Now") if is_done else _("Proposed")
    tone, icon = ("done", "tick") if is_done else ("corrected", "pencil")
    said = {"word": word, "number": row.base_revision + 1}
    proposed = state_badge(State(tone, icon, _("%(word)s, revision %(number)s") % said))
    if after is not None:
        first, second = compare_coups(before, after, decks)
        return TwoCoups(first, recorded, second, proposed, "")
    kind = RulingKind(ruling.kind)
    return TwoCoups(one_coup(before, decks), recorded, None, proposed, str(words.KIND_EFFECTS[kind.value]))


def _decision(request: HttpRequest, ruling: Ruling, now: datetime, is_waiting: bool) -> dict[str, Any]:
    """Prepare the decision box: the checks, and whether this person gets its buttons."""
    if not is_waiting:
        return {"checks": [], "may_approve": False, "may_refuse": False, "may_withdraw": False}
    checks = checks_of(ruling, request.user, now)
    return {
        "checks": _check_lines(checks, ruling),
        "may_approve": checks.can_approve,
        "may_refuse": checks.may_decide and checks.has_person,
        "may_withdraw": ruling.requested_by_id == request.user.pk
        and request.user.has_perm("audit.request_ruling"),
        "needs_sign_in": checks.needs_sign_in,
    }


def _check_lines(checks: Checks, ruling: Ruling) -> list[Check]:
    lines = []
    if not checks.has_person:
        lines.append(Check(False, "close", str(words.REFUSALS["person/none"])))
    if checks.is_asker:
        alone = _("You asked for it; the sum is small enough to decide alone")
        lines.append(
            Check(
                not checks.needs_second,
                "close" if checks.needs_second else "tick",
                _("You asked for it") if checks.needs_second else alone,
            )
        )
    elif checks.has_person:
        lines.append(Check(True, "tick", _("You did not ask for it")))
    at = {"code": ruling.table.code}
    lines.append(
        Check(True, "tick", _("You may decide at table %(code)s") % at)
        if checks.may_decide
        else Check(False, "close", _("Your role does not decide"))
    )
    lines.append(
        Check(True, "tick", _("Unchanged since the request"))
        if checks.is_unchanged
        else Check(False, "close", _("Something changed since the request: it cannot be approved, ask again"))
    )
    lines.append(Check(True, "lock" if checks.needs_second else "tick", _why_two(checks, ruling)))
    if checks.needs_sign_in:
        limit = money(ruling.table.sign_in_again_minor, ruling.table.currency)
        lines.append(Check(True, "key", _("Sign in again: more than %(limit)s moves") % {"limit": limit}))
    return lines


def _why_two(checks: Checks, ruling: Ruling) -> str:
    currency = ruling.table.currency
    said = {
        "moved": money(checks.moved_minor, currency),
        "limit": money(checks.second_person_minor, currency),
        "today": money(checks.alone_today_minor, currency),
    }
    if not checks.needs_second:
        return _("One person is enough: %(moved)s moves, threshold %(limit)s") % said
    if ruling.kind == RulingKind.REINSTATE:
        return _("Two persons needed: a ruling is taken out of force")
    if checks.is_bulk:
        return _("Two persons needed: it is about more than one round")
    if checks.moved_minor > checks.second_person_minor:
        return _("Two persons needed: %(moved)s moves, threshold %(limit)s") % said
    return _("Two persons needed: with %(today)s decided alone today it passes %(limit)s") % said


def _running(request: HttpRequest, ruling: Ruling, progress: Progress, now: datetime) -> dict[str, Any]:
    """Prepare what shows while a ruling is carried out."""
    status = RulingStatus(ruling.status)
    since = ruling.going_since or now
    may_decide = request.user.has_perm("audit.approve_ruling")
    shows_progress = status in UNDER_WAY or status is RulingStatus.STOPPED
    failing = failing_of(ruling) if shows_progress else []
    return {
        # One that was told to go on stays stopped until the worker comes: its page waits for that.
        "is_under_way": status in UNDER_WAY or (shows_progress and not ruling.wants_stop),
        "shows_progress": shows_progress,
        "seconds_left": progress.seconds_left((now - since).total_seconds()),
        "tone": words.RULING_STATES[status.value].tone if not failing else "wrong",
        "failing": failing,
        "most_tries": MOST_TRIES,
        "may_stop": may_decide and shows_progress and not ruling.wants_stop,
        "may_resume": may_decide and shows_progress and ruling.wants_stop,
    }
