"""Wallet transactions: what the wallet is owed, and how far each message has got."""

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables import words
from tables.admin.base import ReadOnlyAdmin
from tables.admin.columns import column
from tables.admin.filters import choice_filter, related_filter
from tables.admin.record import Column, Crumb, Fact, Facts, Record, Rows, all_of, link, list_url
from tables.admin.round_sheets import say_bet
from tables.models import Bet, DeliveryStatus, WalletTransaction
from tables.queries.people import reference_of
from tables.templatetags.felt import delivery_badge, difference, moment, money, whole, with_currency, word

DELIVERY_CHOICES = {
    "waiting": words.DELIVERY_STATES["waiting"],
    "delivered": gettext_lazy("Answered by the wallet"),
    "dead": words.DELIVERY_STATES["dead"],
    "closed": words.DELIVERY_STATES["closed"],
}
BETS_SHOWN = 50


@admin.register(WalletTransaction)
class WalletTransactionAdmin(ReadOnlyAdmin):
    list_display = ("key", "player_name", "kind_name", "amount", "state", "booked")
    list_filter = (
        choice_filter(gettext_lazy("message"), "delivery__status", DELIVERY_CHOICES),
        related_filter(gettext_lazy("player"), "player"),
        related_filter(gettext_lazy("settlement"), "settlement"),
    )
    prefix_fields = ("key",)
    search_words = gettext_lazy("Key starts with")
    related = ("player__identity", "delivery", "receivable", "settlement__round__table")
    list_lead = gettext_lazy("One transaction a player, round and revision; its key makes repeats harmless.")
    empty_heading = gettext_lazy("No money has moved yet")
    empty_words = gettext_lazy(
        "When a round is settled, each player with something to get has one transaction here."
    )

    @column(gettext_lazy("player"))
    def player_name(self, found: WalletTransaction) -> SafeString:
        return link("player", found.player_id, reference_of(found.player), is_id=True)

    @column(gettext_lazy("kind"))
    def kind_name(self, found: WalletTransaction) -> str:
        return words.spoken(words.TRANSACTION_KINDS, found.kind)

    @column(gettext_lazy("amount"), is_number=True)
    def amount(self, found: WalletTransaction) -> SafeString:
        return with_currency(difference(found.amount_minor, found.currency), found.currency)

    @column(gettext_lazy("message"))
    def state(self, found: WalletTransaction) -> SafeString:
        return delivery_badge(found)

    @column(gettext_lazy("booked"), is_number=True)
    def booked(self, found: WalletTransaction) -> SafeString:
        return moment(found.created_at, found.settlement.round.table.zone)

    def record(self, request: HttpRequest, found: WalletTransaction) -> Record:
        round_ = found.settlement.round
        zone = round_.table.zone
        facts = [
            Fact(
                pgettext("person", "Player"),
                link("player", found.player_id, reference_of(found.player), is_id=True),
            ),
            Fact(_("Kind"), words.spoken(words.TRANSACTION_KINDS, found.kind)),
            Fact(_("Amount"), difference(found.amount_minor, found.currency)),
            Fact(_("Currency"), found.currency),
            Fact(_("Round"), link("round", round_.pk, round_.public_id, is_id=True)),
            Fact(_("Revision"), found.settlement.revision),
            Fact(_("Booked"), moment(found.created_at, zone)),
        ]
        return Record(
            title=found.key,
            crumbs=[Crumb(_("Wallet transactions"), list_url("wallettransaction")), Crumb(found.key)],
            badges=[delivery_badge(found)],
            main=[Facts(_("The transaction"), facts), self._bets(request, found)],
            side=[self._message(found, zone)],
        )

    def _message(self, found: WalletTransaction, zone: str) -> Facts:
        delivery = getattr(found, "delivery", None)
        if delivery is None:
            return Facts(_("Message to the wallet"), [Fact(_("State"), _("not written yet"))])
        facts = [
            Fact(_("State"), delivery_badge(found)),
            Fact(_("Attempts"), delivery.attempts),
            Fact(_("Due"), moment(delivery.due_at, zone)),
            Fact(_("Answered"), moment(delivery.answered_at, zone) or "–"),
            Fact(_("Answer"), words.spoken(words.WALLET_ANSWERS, delivery.answer)),
        ]
        if delivery.last_error:
            facts.append(Fact(_("Last error"), delivery.last_error))
        if delivery.status == DeliveryStatus.DEAD:
            facts.append(Fact(_("Waits for a person"), link("walletdelivery", found.pk, _("Dead letter"))))
        receivable = getattr(found, "receivable", None)
        if receivable is not None:
            owed = money(receivable.amount_minor, receivable.currency)
            facts.append(Fact(_("Still owed"), link("receivable", found.pk, owed)))
        return Facts(_("Message to the wallet"), facts)

    def _bets(self, request: HttpRequest, found: WalletTransaction) -> Rows:
        bets = []
        if self.may_see(request, "bet"):
            bets = list(Bet.objects.filter(Q(pk__in=found.bet_ids[:BETS_SHOWN])).order_by("pk"))
        named, is_cut = len(found.bet_ids), len(found.bet_ids) > BETS_SHOWN
        of_player = list_url("bet", f"round={found.settlement.round_id}&player={found.player_id}")
        return Rows(
            _("Bets in it"),
            [Column(_("Bet")), Column(_("Kind")), Column(_("Stake"), True), Column(_("State"))],
            [
                (
                    link("bet", bet.pk, bet.platform_bet_id, is_id=True),
                    say_bet(bet),
                    money(bet.stake_minor, found.currency),
                    word("BET_STATES", bet.status),
                )
                for bet in bets
            ],
            note=_("the first %(shown)s of %(all)s") % {"shown": BETS_SHOWN, "all": whole(named)}
            if is_cut
            else "",
            empty=_("No bets to show."),
            more=all_of(of_player),
        )
