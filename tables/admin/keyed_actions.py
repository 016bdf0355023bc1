"""The supervisor's pages: what no scanner saw is keyed in, and shown as cards while it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tables import words
from tables.admin.action_page import ActionForm, Done
from tables.admin.keyed_preview import Preview, preview_burn, preview_card, preview_coup
from tables.admin.record import Fact
from tables.admin.table_actions import TableAction
from tables.admin.table_forms import BurnForm, CardForm, CoupForm, CutForm, ShoeForm
from tables.models import Hold, Round
from tables.queries.rulebooks import rules_of
from tables.queries.table_now import cards_lying, lay
from tables.rules.drawing import Place
from tables.services.actors import Actor
from tables.services.keyed import PERMISSION as KEY_PLAY
from tables.services.keyed import key_burn, key_card, key_coup, key_cut, key_shoe, next_number
from tables.templatetags.felt import version_words


class KeyShoe(TableAction):
    """Open a shoe."""

    permission = KEY_PLAY
    form_class = ShoeForm
    title = gettext_lazy("Open a shoe")
    button = gettext_lazy("Open the shoe")
    lead = gettext_lazy("For a table whose feed does not say it. Cut and burn are entered next.")

    def initial(self) -> dict[str, Any]:
        return {"decks": rules_of(self.subject.rulebook_id).decks}

    def facts(self) -> Sequence[Fact]:
        return [*super().facts(), Fact(_("Rulebook"), version_words(self.subject.rulebook))]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        shoe = key_shoe(
            table=self.subject, decks=typed["decks"], card_set=typed["card_set"], actor=actor, at=at
        )
        message = _("Shoe %(shoe)s lies on %(table)s: %(cards)s cards.") % {
            "shoe": shoe.public_id,
            "table": self.subject.code,
            "cards": shoe.decks * 52,
        }
        return Done(message, self.back_url())


class KeyCut(TableAction):
    """Enter where the blue card was cut in."""

    permission = KEY_PLAY
    form_class = CutForm
    title = gettext_lazy("Enter the cut")
    button = gettext_lazy("Enter the cut")
    lead = gettext_lazy("Where the dealer cut the blue card in, before the first round.")

    def initial(self) -> dict[str, Any]:
        return {"from_back": self.now.shoe.cut_from_back if self.now.shoe else None}

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        shoe = key_cut(table=self.subject, from_back=typed["from_back"], actor=actor, at=at)
        message = ngettext(
            "The blue card lies %(count)s card from the back of %(shoe)s.",
            "The blue card lies %(count)s cards from the back of %(shoe)s.",
            typed["from_back"],
        ) % {"count": typed["from_back"], "shoe": shoe.public_id}
        return Done(message, self.back_url())


class PreviewedAction(TableAction):
    """An action whose cards are drawn: on the page as it comes, and anew while they are typed."""

    template = "bluecard/table_actions/cards.html"
    previewed: ClassVar[Sequence[str]] = ()

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Show the form; without scripts, the button "Show the cards" brings what was typed along."""
        if "preview" in request.GET:
            context = {"preview": self.preview(request.GET)}
            return TemplateResponse(request, "bluecard/table_actions/preview.html", context)
        typed = {name: request.GET[name] for name in self.previewed if name in request.GET}
        return self.show(self.form_class(initial={**self.initial(), **typed}, **self.form_options()))

    def extra_context(self, form: ActionForm) -> dict[str, Any]:
        values = QueryDict(mutable=True)
        for name in self.previewed:
            values[name] = str(form[name].value() or "")
        return {"preview": self.preview(values), "preview_url": self.request.path}

    def preview(self, typed: QueryDict) -> Preview:
        raise NotImplementedError


class KeyBurn(PreviewedAction):
    """Enter the card turned up and the cards burned."""

    permission = KEY_PLAY
    form_class = BurnForm
    title = gettext_lazy("Enter the burn")
    button = gettext_lazy("Enter the burn")
    lead = gettext_lazy("Enter what was done; a burn that is not what the rule asks becomes a finding.")
    previewed = ("turned",)

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        shoe = key_burn(table=self.subject, turned=typed["turned"], count=typed["count"], actor=actor, at=at)
        facts = {"count": typed["count"], "shoe": shoe.public_id, "due": shoe.burn_due}
        if shoe.burn_due == shoe.burn_done:
            return Done(
                _("%(count)s cards of %(shoe)s are burned, as the rule asks.") % facts, self.back_url()
            )
        if shoe.burn_due is None:
            message = (
                _(
                    "%(count)s cards of %(shoe)s are burned; the card that decides the burn is missing,"
                    " which is noted as a finding."
                )
                % facts
            )
        else:
            message = (
                _(
                    "%(count)s cards of %(shoe)s are burned, but the rule asks for %(due)s: noted as a"
                    " finding."
                )
                % facts
            )
        return Done(message, self.back_url(), is_doubtful=True)

    def preview(self, typed: QueryDict) -> Preview:
        shoe = self.now.shoe
        rulebook_id = shoe.rulebook_id if shoe else self.subject.rulebook_id
        return preview_burn(typed.get("turned", ""), rules_of(rulebook_id))


class KeyCoup(PreviewedAction):
    """Key a whole coup."""

    permission = KEY_PLAY
    form_class = CoupForm
    title = gettext_lazy("Key a coup")
    button = gettext_lazy("Key the coup")
    lead = gettext_lazy(
        "The round in play, or the next one of the shoe. Cards the scanner saw must be the same."
    )
    previewed = ("cards",)

    def initial(self) -> dict[str, Any]:
        lying = cards_lying(self.now)
        seen = " ".join(str(lying[place].face) for place in Place if place in lying)
        return {"number": next_number(self.now.round), "cards": f"{seen} " if seen else ""}

    def facts(self) -> Sequence[Fact]:
        return [*super().facts(), Fact(_("Round in the shoe"), next_number(self.now.round))]

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        round_ = key_coup(
            table=self.subject, cards=typed["cards"], number=typed["number"], actor=actor, at=at
        )
        return _say_keyed(round_)

    def preview(self, typed: QueryDict) -> Preview:
        return preview_coup(self.now, typed.get("cards", ""), datetime.now(UTC))


class KeyCard(PreviewedAction):
    """Key one card that the scanner missed."""

    permission = KEY_PLAY
    form_class = CardForm
    title = gettext_lazy("Key a missed card")
    button = gettext_lazy("Key the card")
    lead = gettext_lazy("One card that the scanner did not read, at its place in the round in play.")
    previewed = ("place", "card")

    def initial(self) -> dict[str, Any]:
        lying = cards_lying(self.now)
        due = lay(self.now, lying, {}, datetime.now(UTC)).due
        round_ = self.now.round_in_play
        return {"number": round_.number if round_ else None, "place": due.value if due else ""}

    def act(self, typed: dict[str, Any], actor: Actor, at: datetime) -> Done:
        card = key_card(
            table=self.subject,
            place=typed["place"],
            card=typed["card"],
            number=typed["number"],
            actor=actor,
            at=at,
        )
        round_ = card.round
        assert round_ is not None  # a keyed card lies in a round
        message = _("%(card)s lies at %(place)s of %(round)s, keyed.") % {
            "card": card.face.face,
            "place": card.place,
            "round": round_.public_id,
        }
        return Done(message, _round_url(round_), is_doubtful=_is_held(round_))

    def preview(self, typed: QueryDict) -> Preview:
        return preview_card(self.now, typed.get("place", ""), typed.get("card", ""), datetime.now(UTC))


def _say_keyed(round_: Round) -> Done:
    facts = {
        "round": round_.public_id,
        "winner": words.WINNERS[round_.outcome or "tie"],
        "player": round_.player_total,
        "banker": round_.banker_total,
    }
    if _is_held(round_):
        message = _(
            "Round %(round)s is keyed: %(winner)s, %(player)s–%(banker)s. It is held and not settled yet."
        )
        return Done(message % facts, _round_url(round_), is_doubtful=True)
    message = _("Round %(round)s is keyed: %(winner)s, %(player)s–%(banker)s. Its bets are being settled.")
    return Done(message % facts, _round_url(round_))


def _is_held(round_: Round) -> bool:
    return Hold.objects.filter(round=round_, lifted_at__isnull=True).exists()


def _round_url(round_: Round) -> str:
    return reverse("admin:tables_round_change", args=[round_.pk])
