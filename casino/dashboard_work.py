"""The lower half of the first page: tables, jobs and money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.admin.report import report_url
from audit.admin.ruling_words import ruling_badge, subject_of, title_of
from audit.models import RulingKind
from audit.queries.queue import packs_under_way
from audit.queries.verifying_progress import Progress
from audit.services.packs import STEPS
from audit.words import CANNOT_GO_ON
from tables import words
from tables.admin.record import list_url
from tables.models import GameTable
from tables.queries.money_today import money_of
from tables.queries.shoe_page import ShoeProgress, progress_of
from tables.queries.work import (
    MOST_COUNTED,
    LastBead,
    last_beads,
    tables_now,
    work_waiting,
)
from tables.services.shoes import gaming_date_of
from tables.templatetags.felt import state_badge, whole

TABLES_SHOWN: Final = 24
TABLES_ASKED: Final = 200
LAST_ROUND_OVER: Final = words.State("wrong", "triangle", words.LAST_ROUND_OVER)
FEED_GAP: Final = words.State("waits", "pause", words.FEED_GAP)


class TableLine(NamedTuple):
    table: GameTable
    badge: SafeString
    progress: ShoeProgress | None
    beads: list[LastBead]
    report_url: str


class Job(NamedTuple):
    """Work under way: how much is done of how much, or only that it is under way."""

    title: str
    note: str
    url: str
    done: int | None = None
    of: int = 0
    badge: SafeString | str = ""

    @property
    def percent(self) -> int | None:
        return None if self.done is None or not self.of else 100 * min(self.done, self.of) // self.of


def table_lines(tables: list[GameTable], *, may_report: bool) -> list[TableLine]:
    """Describe what lies on each table now, and where to report what goes wrong there to who may."""
    shown = tables[:TABLES_SHOWN]
    shoes = {table.pk: table.state.shoe for table in shown if getattr(table, "state", None)}
    beads = last_beads(shoe.pk for shoe in shoes.values() if shoe)
    return [_table_line(table, beads, may_report) for table in shown]


def load_tables() -> list[GameTable]:
    """Load the tables once, for what lies on them and for their money."""
    return list(tables_now()[:TABLES_ASKED])


def _table_line(table: Any, beads: dict[int, list[LastBead]], may_report: bool) -> TableLine:
    state = getattr(table, "state", None)
    shoe = state.shoe if state else None
    found = beads.get(shoe.pk, []) if shoe else []
    progress = progress_of(shoe) if shoe else None
    url = _report_url(table, state) if may_report and table.status == "open" else ""
    return TableLine(table, state_badge(_state_of(table, state)), progress, found, url)


def _report_url(table: Any, state: Any) -> str:
    """Lead to a report about the round that lies on a table, or about the table where none does."""
    return report_url(f"round={state.round_id}" if state and state.round_id else f"table={table.pk}")


def _state_of(table: Any, state: Any) -> words.State:
    """Say the one thing about a table that matters most now."""
    if table.status != "open" or state is None:
        return words.TABLE_STATES[table.status]
    if state.gap_seen_seq is not None:
        return FEED_GAP
    if state.round is None:
        return words.TABLE_STATES[table.status]
    if table.is_held and state.round.status not in ("settled", "voided"):
        return words.ROUND_STATES["held"]
    last = state.shoe.last_round_number if state.shoe else None
    if last is not None and state.round.number >= last and state.round.status in ("settled", "voided"):
        return LAST_ROUND_OVER
    return words.ROUND_STATES[state.round.status]


def jobs(user: Any, under_way: Iterable[Any], verifying: Progress | None) -> list[Job]:
    """List what the programs are at, each with how far it has come where that is known."""
    found = [_ruling_job(ruling) for ruling in under_way]
    waiting = work_waiting()
    if waiting.rounds_to_settle and user.has_perm("tables.view_round"):
        count = waiting.rounds_to_settle
        said = ngettext("%(count)s round waits for the worker", "%(count)s rounds wait for the worker", count)
        url = list_url("round", "status=resulted")
        found.append(Job(_("Settling"), said % {"count": _counted(count)}, url))
    if waiting.messages_on_the_way and user.has_perm("tables.view_wallettransaction"):
        count = waiting.messages_on_the_way
        said = ngettext("%(count)s message on the way", "%(count)s messages on the way", count)
        url = list_url("wallettransaction", "delivery__status=waiting")
        found.append(Job(_("Messages to the wallet"), said % {"count": _counted(count)}, url))
    if user.has_perm("audit.view_evidencepack"):
        found += [_pack_job(pack) for pack in packs_under_way()]
    if verifying is not None:
        found.append(_verification_job(verifying))
    if waiting.reconciliation_id is not None and user.has_perm("tables.view_reconciliation"):
        read, ours = waiting.read_count or 0, waiting.ours_count or 0
        said = _("%(read)s of %(ours)s messages read from the wallet")
        note = said % {"read": whole(read), "ours": whole(ours)}
        url = reverse("admin:tables_reconciliation_change", args=[waiting.reconciliation_id])
        found.append(Job(_("Reconciliation"), note, url, read, ours))
    return found


def _verification_job(progress: Progress) -> Job:
    said = _("%(done)s of %(all)s entries compared with their rows")
    counts = {"done": whole(progress.done), "all": whole(progress.of)}
    note = said % counts if progress.of else _("entries, leaves and checkpoints are compared")
    url = reverse("admin:audit_checkpoint_changelist")
    return Job(_("Verification"), note, url, progress.done, progress.of)


def _counted(count: int) -> str:
    return (
        whole(count) if count <= MOST_COUNTED else _("more than %(count)s") % {"count": whole(MOST_COUNTED)}
    )


def _ruling_job(ruling: Any) -> Job:
    subject = subject_of(ruling, ruling.first_number, ruling.last_number)
    said = _("%(done)s of %(all)s rounds") % {
        "done": whole(ruling.rounds_done),
        "all": whole(ruling.rounds_count),
    }
    return Job(
        f"{ruling.number} · {title_of(RulingKind(ruling.kind), subject)} · {ruling.table.code}",
        said,
        reverse("admin:audit_ruling_change", args=[ruling.pk]),
        ruling.rounds_done,
        ruling.rounds_count,
        state_badge(CANNOT_GO_ON) if ruling.failures else ruling_badge(ruling),
    )


def _pack_job(pack: Any) -> Job:
    title = _("Evidence pack %(number)s") % {"number": pack.number}
    note = _("step %(step)s of %(all)s") % {"step": pack.step, "all": STEPS}
    url = reverse("admin:audit_evidencepack_change", args=[pack.pk])
    return Job(f"{title} · {pack.subject_label}", note, url, pack.step, STEPS)


def money_context(tables: list[GameTable], now: datetime) -> dict[str, Any]:
    """Sum up the gaming day that runs at the tables; where they are of two, most tables' day is named."""
    days = {table.pk: gaming_date_of(table, now) for table in tables}
    if not days:
        return {}
    usual = Counter(days.values()).most_common(1)[0][0]
    starts = Counter(table.gaming_day_starts_hour for table in tables).most_common(1)[0][0]
    return {
        "money_today": money_of(days),
        "gaming_date": usual,
        "gaming_day_starts": f"{starts:02}:00",
        "settlements_url": list_url("settlement", f"gaming_date={usual.isoformat()}"),
        "ruled_url": list_url("settlement", f"gaming_date={usual.isoformat()}&by=ruling"),
        "held_url": list_url("round", f"gaming_date={usual.isoformat()}&hold=held"),
    }
