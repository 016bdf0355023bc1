"""The named actions on a receivable: it was paid back, or it is written off."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.http import Http404, HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables.admin.action_page import ActionPage, Done
from tables.admin.dead_letter_actions import ByHandForm
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact, list_url
from tables.models import ClosingKind, Receivable
from tables.queries.people import reference_of
from tables.services.actors import Actor
from tables.services.dead_letters import MEND
from tables.services.receivables import close_receivable
from tables.templatetags.felt import money


class EndReceivable(ActionPage):
    """Say that nothing is owed any more of one claim."""

    permission = MEND
    form_class = ByHandForm
    how: ClassVar[ClosingKind]
    subject: Receivable

    def find_subject(self, **kwargs: Any) -> Receivable:
        found = (
            Receivable.objects.select_related("transaction", "player__identity")
            .filter(pk=kwargs["pk"])
            .first()
        )
        if found is None:
            raise Http404("no such receivable")
        return found

    def crumbs(self) -> Sequence[Crumb]:
        return [
            Crumb(_("Receivables"), list_url("receivable")),
            Crumb(self.subject.transaction.key, self.back_url()),
        ]

    def facts(self) -> Sequence[Fact]:
        return [
            Fact(pgettext("person", "Player"), reference_of(self.subject.player)),
            Fact(
                _("Still owed"),
                f"{money(self.subject.amount_minor, self.subject.currency)} {self.subject.currency}",
            ),
        ]

    def back_url(self) -> str:
        return reverse("admin:tables_receivable_change", args=[self.subject.pk])

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        close_receivable(
            transaction_id=self.subject.pk, how=self.how, reason=typed["reason"], actor=actor, at=at
        )
        said = {
            "key": self.subject.transaction.key,
            "sum": money(self.subject.amount_minor, self.subject.currency),
            "currency": self.subject.currency,
        }
        message = _("Nothing is owed of %(key)s any more: %(sum)s %(currency)s.") % said
        return Done(message, self.back_url())


class PaidBack(EndReceivable):
    how = ClosingKind.PAID_BACK
    title = gettext_lazy("Paid back")
    button = gettext_lazy("It was paid back")
    lead = gettext_lazy("Say so when the player has given the money back outside the wallet.")


class WriteOff(EndReceivable):
    how = ClosingKind.WRITTEN_OFF
    title = gettext_lazy("Write off")
    button = gettext_lazy("Write it off")
    lead = gettext_lazy(
        "The house gives the money up. The claim stays on record, with who gave it up and why."
    )
    is_grave = True


ON_A_RECEIVABLE: dict[str, type[EndReceivable]] = {"paid-back": PaidBack, "write-off": WriteOff}


def action_urls(model_admin: Any) -> list[URLPattern]:
    """Give the addresses of the actions on receivables."""
    wrap = model_admin.admin_site.admin_view
    return [
        path(
            f"<int:pk>/do/{name}/",
            wrap(page.as_view(model_admin=model_admin)),
            name=f"tables_receivable_do_{name}",
        )
        for name, page in ON_A_RECEIVABLE.items()
    ]


def buttons_of(request: HttpRequest, found: Receivable) -> list[HeadButton]:
    """List what this person can do about a claim that is open."""
    if getattr(found, "closing", None) is not None or not request.user.has_perm(MEND):
        return []
    addresses = {
        name: reverse(f"admin:tables_receivable_do_{name}", args=[found.pk]) for name in ON_A_RECEIVABLE
    }
    return [
        HeadButton(PaidBack.title, addresses["paid-back"], "tick", tone="main"),
        HeadButton(WriteOff.title, addresses["write-off"], "struck", tone="grave"),
    ]


add_head_buttons("receivable", buttons_of)
