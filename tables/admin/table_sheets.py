"""The sheets of a table's page: its rulebook and what its versions changed, its dealers, its shoes."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables.admin.record import Column, Rows, all_of, link, list_url
from tables.admin.rulebook import standing_of
from tables.models import GameTable
from tables.queries.rulebook_page import Version, history_of
from tables.queries.shoe_page import progress_of
from tables.queries.table_page import shifts_of, shoes_of
from tables.templatetags.felt import badge, moment, shoe_bar, whole

CHANGES_SHOWN = 12


def rulebook_sheet(table: GameTable) -> Rows:
    """List the versions of the table's rulebook, each with what it changed against the one before."""
    versions = history_of(table.rulebook.code)
    now = datetime.now(UTC)
    return Rows(
        _("Rulebook and its versions"),
        [Column(_("Version")), Column(_("State")), Column(_("Effective from"), True), Column(_("Changed"))],
        [
            (
                link("rulebook", one.rulebook.pk, f"{one.rulebook.code}/{one.rulebook.version}", is_id=True),
                standing_of(one.rulebook, versions, now),
                moment(one.rulebook.effective_from, table.zone),
                _say_changes(one),
            )
            for one in versions
        ],
        note=_("a shoe keeps the version it was started under"),
    )


def _say_changes(version: Version) -> SafeString | str:
    changes = version.changes
    if changes is None:
        return _("the first")
    said = ngettext("%(n)s field changed", "%(n)s fields changed", len(changes)) % {"n": len(changes)}
    if not changes:
        return said
    lines = format_html_join(
        "",
        '<li><span class="bc-id bc-break">{}</span> {} → {}</li>',
        ((one.path, one.was or "–", one.now or "–") for one in changes[:CHANGES_SHOWN]),
    )
    return format_html(
        '<details class="bc-changes"><summary>{}</summary><ul>{}{}</ul></details>',
        said,
        lines,
        _say_more(version, len(changes) - CHANGES_SHOWN),
    )


def _say_more(version: Version, count: int) -> SafeString | str:
    """Lead to the page that has all of a version's changes, where here are only the first."""
    if count <= 0:
        return ""
    said = ngettext("and %(n)s more field", "and %(n)s more fields", count) % {"n": count}
    return format_html("<li>{}</li>", link("rulebook", version.rulebook.pk, said))


def shifts_sheet(table: GameTable) -> Rows:
    """List who dealt at the table, each run of rounds with one dealer as one shift."""
    return Rows(
        _("Dealers' shifts"),
        [Column(_("Dealer")), Column(_("From"), True), Column(_("Until"), True), Column(_("Rounds"), True)],
        [
            (
                link("dealer", shift.dealer_id, shift.name) if shift.dealer_id else "–",
                moment(shift.from_at, table.zone),
                moment(shift.to_at, table.zone),
                whole(shift.rounds),
            )
            for shift in shifts_of(table)
        ],
        note=_("the latest, as the rounds were dealt"),
        empty=_("Nobody has dealt at this table yet."),
        more=all_of(list_url("round", f"table={table.code}"), _("All rounds of the table")),
    )


def shoes_sheet(table: GameTable) -> Rows:
    """List the latest shoes of the table."""
    return Rows(
        _("Shoes"),
        [Column(_("Shoe")), Column(_("State")), Column(_("Cards out")), Column(_("Started"), True)],
        [
            (
                link("shoe", shoe.pk, shoe.public_id, is_id=True),
                badge("SHOE_STATES", shoe.status),
                shoe_bar(progress_of(shoe)),
                moment(shoe.started_at, table.zone),
            )
            for shoe in shoes_of(table)
        ],
        empty=_("No shoe has been started at this table."),
        more=all_of(list_url("shoe", f"table={table.code}")),
    )
