"""The named actions on a dead letter: send it again, say that it was settled by hand, or withdraw that."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404, HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables import words
from tables.admin.action_page import ActionForm, ActionPage, Done
from tables.admin.panels import HeadButton, add_head_buttons
from tables.admin.record import Crumb, Fact, list_url
from tables.models import DebitPolicy, DeliveryStatus, WalletDelivery
from tables.queries.dead_letters import hand_statements, waiting_behind
from tables.queries.people import reference_of
from tables.services.actors import Actor
from tables.services.dead_letters import (
    MEND,
    REASON_LENGTH,
    send_again,
    settle_by_hand,
    withdraw_statement,
)
from tables.templatetags.felt import difference, money, whole
from tables.wallet_client import AnswerStatus


class ByHandForm(ActionForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("It stands in the journal, with who you are."),
    )


class AgainForm(ByHandForm):
    policy = forms.ChoiceField(
        label=gettext_lazy("If the wallet is short again"),
        required=False,
        choices=[("", gettext_lazy("As the table does")), *words.DEBIT_POLICIES.items()],
    )
    field_order = ["policy", "reason"]

    def __init__(self, *args: Any, is_debit: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_debit:
            del self.fields["policy"]


class DeadLetterAction(ActionPage):
    """An action on one message that waits for a person."""

    permission = MEND
    subject: WalletDelivery

    def find_subject(self, **kwargs: Any) -> WalletDelivery:
        found = (
            WalletDelivery.objects.select_related("transaction", "player__identity")
            .filter(pk=kwargs["pk"])
            .first()
        )
        if found is None:
            raise Http404("no such message")
        return found

    def crumbs(self) -> Sequence[Crumb]:
        return [
            Crumb(_("Dead letters"), list_url("walletdelivery")),
            Crumb(self.subject.transaction.key, self.back_url()),
        ]

    def facts(self) -> Sequence[Fact]:
        moved = self.subject.transaction
        return [
            Fact(pgettext("person", "Player"), reference_of(self.subject.player)),
            Fact(_("Amount"), difference(moved.amount_minor, moved.currency)),
            Fact(_("Why"), words.spoken(words.GIVEN_UP_BECAUSE, self.subject.answer)),
            Fact(_("Waiting behind it"), whole(waiting_behind(self.subject).count())),
            *said_by(self.subject),
        ]

    def back_url(self) -> str:
        return reverse("admin:tables_walletdelivery_change", args=[self.subject.pk])


def said_by(found: WalletDelivery) -> list[Fact]:
    """Name who says already that it is settled by hand, where that takes two."""
    said = hand_statements(found).filter(withdrawn_at=None).select_related("said_by")
    names = [one.said_by.get_full_name() or one.said_by.get_username() for one in said.order_by("pk")]
    return [Fact(_("Said to be settled by hand by"), ", ".join(names))] if names else []


class SendAgain(DeadLetterAction):
    """Put the message back to the head of its player's messages."""

    form_class = AgainForm
    title = gettext_lazy("Send again")
    button = gettext_lazy("Send again")
    lead = gettext_lazy(
        "The same message goes to the wallet once more, and is tried for 24 hours; its key makes it happen"
        " once. Later messages to this player follow when it is through."
    )

    def form_options(self) -> dict[str, Any]:
        return {"is_debit": self.subject.answer == AnswerStatus.INSUFFICIENT}

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        chosen = typed.get("policy") or ""
        sent = send_again(
            transaction_id=self.subject.pk,
            reason=typed["reason"],
            policy=DebitPolicy(chosen) if chosen else None,
            actor=actor,
            at=at,
        )
        message = _("%(key)s is on its way again.") % {"key": sent.transaction.key}
        return Done(message, self.back_url())


class SettleByHand(DeadLetterAction):
    """Close the message without the wallet."""

    form_class = ByHandForm
    title = gettext_lazy("Settled by hand")
    button = gettext_lazy("It is settled by hand")
    lead = gettext_lazy(
        "Say so only when the money was moved outside Bluecard: the wallet is not asked for it again, and"
        " later messages to this player go on."
    )
    is_grave = True

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        closed = settle_by_hand(transaction_id=self.subject.pk, reason=typed["reason"], actor=actor, at=at)
        moved = closed.transaction
        if closed.status != DeliveryStatus.CLOSED:
            said = _("%(key)s: written down. Another person has to say the same before it is settled.")
            return Done(said % {"key": moved.key}, self.back_url(), is_doubtful=True)
        message = _("%(key)s is settled by hand: %(sum)s %(currency)s.") % {
            "key": moved.key,
            "sum": money(moved.amount_minor, moved.currency),
            "currency": moved.currency,
        }
        return Done(message, self.back_url())


class WithdrawStatement(DeadLetterAction):
    """Withdraw what this person said, while nobody else has said the same."""

    form_class = ByHandForm
    title = gettext_lazy("Withdraw the statement")
    button = gettext_lazy("Withdraw the statement")
    lead = gettext_lazy(
        "You said that it is settled by hand and may withdraw that while nobody else has said the same."
        " The message waits on; closing it by hand takes two persons anew."
    )

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        kept = withdraw_statement(transaction_id=self.subject.pk, reason=typed["reason"], actor=actor, at=at)
        message = _("What you said is withdrawn. %(key)s still waits for a person.")
        return Done(message % {"key": kept.transaction.key}, self.back_url())


ON_A_DEAD_LETTER: dict[str, type[ActionPage]] = {
    "again": SendAgain,
    "by-hand": SettleByHand,
    "withdraw": WithdrawStatement,
}


def action_urls(model_admin: Any) -> list[URLPattern]:
    """Give the addresses of the actions on dead letters."""
    wrap = model_admin.admin_site.admin_view
    return [
        path(
            f"<int:pk>/do/{name}/",
            wrap(page.as_view(model_admin=model_admin)),
            name=f"tables_walletdelivery_do_{name}",
        )
        for name, page in ON_A_DEAD_LETTER.items()
    ]


def buttons_of(request: HttpRequest, found: WalletDelivery) -> list[HeadButton]:
    """List what this person can do about a message that waits for one."""
    if found.status != DeliveryStatus.DEAD or not request.user.has_perm(MEND):
        return []
    addresses = {
        name: reverse(f"admin:tables_walletdelivery_do_{name}", args=[found.pk]) for name in ON_A_DEAD_LETTER
    }
    buttons = [
        HeadButton(SendAgain.title, addresses["again"], "redo", tone="main"),
        HeadButton(SettleByHand.title, addresses["by-hand"], "pencil"),
    ]
    if hand_statements(found).filter(withdrawn_at=None, said_by=request.user.pk).exists():
        buttons.append(HeadButton(WithdrawStatement.title, addresses["withdraw"], "back"))
    return buttons


add_head_buttons("walletdelivery", buttons_of)
