"""The named actions on a table that its page leads to, and who may see which of them now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tables import words
from tables.admin.action_page import ActionPage, Done
from tables.admin.record import Crumb, Fact, list_url
from tables.admin.table_forms import (
    BetLimitsForm,
    CameraForm,
    CloseForm,
    DebitPolicyForm,
    GapForm,
    LimitsForm,
    ReasonForm,
    RulebookForm,
    SetUpForm,
    field_of,
)
from tables.house import DEFAULT_ZONE, house_zone
from tables.models import DebitPolicy, GameTable, Rulebook
from tables.queries.rulebooks import rulebook_in_force, rules_of
from tables.queries.table_now import TableNow, read_now
from tables.rules.currencies import write_money
from tables.services.actors import Actor
from tables.services.floor import accept_gap
from tables.services.opening import PERMISSION as OPEN
from tables.services.opening import close_by_hand, open_by_hand
from tables.services.setup import (
    BadSetup,
    change_table_camera,
    change_table_debit_policy,
    change_table_limits,
    change_table_rulebook,
    set_up_table,
)
from tables.templatetags.felt import spoken_language, version_words, whole

ACCEPT_GAP = "tables.accept_gap"
SET_UP = "tables.set_up_table"


class TableAction(ActionPage):
    """An action on one table."""

    subject: GameTable
    now: TableNow

    def find_subject(self, **kwargs: Any) -> GameTable:
        table = (
            GameTable.objects.select_related("rulebook", "state__shoe", "state__round")
            .filter(pk=kwargs["pk"], state__isnull=False)
            .first()
        )
        if table is None:
            raise Http404("no such table")
        self.now = read_now(table)
        return table

    def crumbs(self) -> Sequence[Crumb]:
        return [
            Crumb(_("Tables"), list_url("gametable")),
            Crumb(self.subject.code, self.back_url()),
        ]

    def facts(self) -> Sequence[Fact]:
        facts = [Fact(_("Table"), f"{self.subject.code} · {self.subject.name}")]
        if self.now.shoe:
            facts.append(Fact(_("Shoe"), self.now.shoe.public_id))
        if self.now.round_in_play:
            facts.append(Fact(_("Round"), self.now.round_in_play.public_id))
        return facts

    def back_url(self) -> str:
        return reverse("admin:tables_gametable_change", args=[self.subject.pk])


class AcceptGap(TableAction):
    """Declare the missing events of a feed lost."""

    permission = ACCEPT_GAP
    form_class = GapForm
    title = gettext_lazy("Accept a gap in the feed")
    button = gettext_lazy("Accept the gap")
    lead = gettext_lazy(
        "The missing events are declared lost and the feed goes on after them. A round that waits because of"
        " the gap goes on waiting until it is decided."
    )
    is_grave = True

    def initial(self) -> dict[str, Any]:
        return {"first_seq": self.now.first_missing_seq}

    def facts(self) -> Sequence[Fact]:
        if not self.now.gap_seen_seq:
            return [*super().facts(), Fact(_("Missing events"), _("none"))]
        return [
            *super().facts(),
            Fact(_("Missing events"), _span(self.now.first_missing_seq, self.now.gap_seen_seq - 1)),
        ]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        gap = accept_gap(
            table=self.subject,
            reason=typed["reason"],
            first_seq=typed["first_seq"],
            actor=actor,
            at=at,
        )
        message = _("Events %(span)s of %(table)s are declared lost; the feed goes on with %(next)s.") % {
            "span": _span(gap.first_seq, gap.last_seq),
            "table": self.subject.code,
            "next": whole(gap.last_seq + 1),
        }
        return Done(message, self.back_url())


class ChangeLimits(TableAction):
    """Set the lowest and highest stake."""

    permission = SET_UP
    form_class = LimitsForm
    title = gettext_lazy("Change the limits")
    button = gettext_lazy("Change the limits")
    lead = gettext_lazy("They hold for every bet from now on; bets accepted before stay as they are.")

    def form_options(self) -> dict[str, Any]:
        return {"currency": self.subject.currency}

    def initial(self) -> dict[str, Any]:
        low, high = self.subject.min_stake_minor, self.subject.max_stake_minor
        currency = self.subject.currency
        return {"smallest": write_money(low, currency), "largest": write_money(high, currency)}

    def facts(self) -> Sequence[Fact]:
        return [*super().facts(), Fact(_("Limits now"), _limits(self.subject))]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        before = _limits(self.subject)
        table = change_table_limits(
            table=self.subject,
            limits=(typed["smallest"], typed["largest"]),
            actor=actor,
            at=at,
        )
        message = _("%(table)s takes stakes from %(now)s; before from %(before)s.") % {
            "table": table.code,
            "now": _limits(table),
            "before": before,
        }
        return Done(message, self.back_url())


class ChangeBetLimits(TableAction):
    """Set the limits of single kinds of bet."""

    permission = SET_UP
    form_class = BetLimitsForm
    title = gettext_lazy("Change the limits of single bets")
    button = gettext_lazy("Change the limits")
    lead = gettext_lazy(
        "Lowest and highest stake of each bet that has limits of its own; an empty field leaves it those of"
        " the table. They hold for every bet from now on."
    )

    def form_options(self) -> dict[str, Any]:
        kinds = rules_of(self.subject.rulebook_id).kinds
        named = {kind: words.spoken(words.BET_KINDS, kind) for kind in kinds}
        return {"currency": self.subject.currency, "kinds": named}

    def initial(self) -> dict[str, Any]:
        currency = self.subject.currency
        return {
            field_of(kind): f"{write_money(low, currency)} – {write_money(high, currency)}"
            for kind, (low, high) in self.subject.bet_limits.items()
        }

    def facts(self) -> Sequence[Fact]:
        return [*super().facts(), Fact(_("Limits of the table"), _limits(self.subject))]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        table = change_table_limits(table=self.subject, bets=typed["bet_limits"], actor=actor, at=at)
        named = ", ".join(str(words.spoken(words.BET_KINDS, kind)) for kind in table.bet_limits)
        message = _("%(table)s: limits of their own have %(kinds)s.") % {
            "table": table.code,
            "kinds": named or _("no bets"),
        }
        return Done(message, self.back_url())


class OpenTable(TableAction):
    """Open the table for play."""

    permission = OPEN
    form_class = ReasonForm
    title = gettext_lazy("Open the table")
    button = gettext_lazy("Open the table")
    lead = gettext_lazy("For a table whose feed does not say it. Rounds may be dealt from now on.")

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        table = open_by_hand(table=self.subject, reason=typed["reason"], actor=actor, at=at)
        return Done(_("Table %(table)s is open.") % {"table": table.code}, self.back_url())


class CloseTable(TableAction):
    """Close the table."""

    permission = OPEN
    form_class = CloseForm
    title = gettext_lazy("Close the table")
    button = gettext_lazy("Close the table")
    lead = gettext_lazy("No further round begins. The one in play is played out, unless a system failed.")
    is_grave = True

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        table = close_by_hand(
            table=self.subject, reason=typed["reason"], by_fault=typed["by_fault"], actor=actor, at=at
        )
        message = (
            _("Table %(table)s is closed.")
            if not typed["by_fault"]
            else _("Table %(table)s is closed by a fault.")
        )
        return Done(message % {"table": table.code}, self.back_url())


class ChangeRulebook(TableAction):
    """Let the table play by another rulebook."""

    permission = SET_UP
    form_class = RulebookForm
    title = gettext_lazy("Change the rulebook")
    button = gettext_lazy("Change the rulebook")
    lead = gettext_lazy(
        "The rulebook changes between shoes. Rounds that were played keep the one they were played under."
    )

    def form_options(self) -> dict[str, Any]:
        return {"rulebooks": rulebooks_in_force()}

    def initial(self) -> dict[str, Any]:
        return {"rulebook": self.subject.rulebook.code}

    def facts(self) -> Sequence[Fact]:
        return [*super().facts(), Fact(_("Rulebook now"), version_words(self.subject.rulebook))]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        before = version_words(self.subject.rulebook)
        table = change_table_rulebook(table=self.subject, rulebook_code=typed["rulebook"], actor=actor, at=at)
        message = _("%(table)s plays by %(now)s from its next shoe on; before by %(before)s.") % {
            "table": table.code,
            "now": version_words(table.rulebook),
            "before": before,
        }
        return Done(message, self.back_url())


class ChangeDebitPolicy(TableAction):
    """Say what is done when a player has less than is to be taken back."""

    permission = SET_UP
    form_class = DebitPolicyForm
    title = gettext_lazy("When the wallet is short")
    button = gettext_lazy("Change it")
    lead = gettext_lazy(
        "It holds for every debit that finds too little money from now on, also of rounds played before."
    )

    def initial(self) -> dict[str, Any]:
        return {"policy": self.subject.debit_policy}

    def facts(self) -> Sequence[Fact]:
        return [
            *super().facts(),
            Fact(_("Now"), words.spoken(words.DEBIT_POLICIES, self.subject.debit_policy)),
        ]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        table = change_table_debit_policy(
            table=self.subject, policy=DebitPolicy(typed["policy"]), actor=actor, at=at
        )
        message = _("When the wallet is short, %(table)s does from now on: %(policy)s.") % {
            "table": table.code,
            "policy": words.spoken(words.DEBIT_POLICIES, table.debit_policy),
        }
        return Done(message, self.back_url())


class ChangeCamera(TableAction):
    """Say which camera is above the table."""

    permission = SET_UP
    form_class = CameraForm
    title = gettext_lazy("Change the camera")
    button = gettext_lazy("Change the camera")
    lead = gettext_lazy("Rounds keep the camera that was above the table when their betting opened.")

    def initial(self) -> dict[str, Any]:
        return {"camera": self.subject.camera}

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        table = change_table_camera(table=self.subject, camera=typed["camera"], actor=actor, at=at)
        message = _("From its next round on %(table)s is on camera %(camera)s.") % {
            "table": table.code,
            "camera": table.camera or table.code,
        }
        return Done(message, self.back_url())


class SetUpTable(ActionPage):
    """Make a table."""

    permission = SET_UP
    form_class = SetUpForm
    title = gettext_lazy("Set up a table")
    button = gettext_lazy("Set up the table")
    lead = gettext_lazy(
        "It is closed and without a shoe until its feed opens it. Code, currency and time zone stay for ever."
    )

    def form_options(self) -> dict[str, Any]:
        return {"rulebooks": rulebooks_in_force()}

    def initial(self) -> dict[str, Any]:
        return {"zone": house_zone().key or DEFAULT_ZONE, "hour": 6}

    def crumbs(self) -> Sequence[Crumb]:
        return [Crumb(_("Tables"), self.back_url())]

    def back_url(self) -> str:
        return list_url("gametable")

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        try:
            table = set_up_table(
                code=typed["code"],
                name=typed["name"],
                currency=typed["currency"],
                zone=typed["zone"],
                rulebook_code=typed["rulebook"],
                min_stake_minor=typed["smallest"],
                max_stake_minor=typed["largest"],
                gaming_day_starts_hour=typed["hour"],
                is_animation=typed["is_animation"],
                actor=actor,
                at=at,
            )
        except IntegrityError as error:  # two people set the same table up at once
            raise BadSetup("code", "table/code", f"there is a table {typed['code']} already") from error
        message = _(
            "Table %(table)s is set up, closed; it plays by %(rulebook)s, stakes from %(limits)s."
        ) % {
            "table": table.code,
            "rulebook": table.rulebook,
            "limits": _limits(table),
        }
        return Done(message, reverse("admin:tables_gametable_change", args=[table.pk]))


def rulebooks_in_force() -> list[tuple[str, str]]:
    """List the rulebooks a table can play by now, by code and title."""
    at = datetime.now(UTC)
    codes = Rulebook.objects.order_by("code").values_list("code", flat=True).distinct()
    found = [rulebook_in_force(code, at) for code in codes]
    language = spoken_language()
    return [
        (one.code, f"{one.code} – {rules_of(one.pk).title.in_language(language)}") for one in found if one
    ]


def _limits(table: GameTable) -> str:
    low, high = (
        write_money(minor, table.currency) for minor in (table.min_stake_minor, table.max_stake_minor)
    )
    return f"{low} – {high} {table.currency}"


def _span(first: int, last: int) -> str:
    return whole(first) if first == last else f"{whole(first)}–{whole(last)}"
