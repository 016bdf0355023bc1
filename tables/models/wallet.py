"""What the wallet is owed a player for a revision, and how far the message has got."""

from enum import StrEnum

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MinorSumField, id_field, one_of
from tables.rules.shortage import DebitPolicy


class TransactionKind(StrEnum):
    CREDIT = "credit"
    ADJUSTMENT = "adjustment"
    CANCEL = "cancel"
    ROLLBACK = "rollback"


class DeliveryStatus(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"
    CLOSED = "closed"  # without the wallet: a person settled it by hand, or nothing was there to take


#: A message in one of these states keeps later ones of its player back.
UNFINISHED = (DeliveryStatus.WAITING.value, DeliveryStatus.DEAD.value)


class WalletTransaction(models.Model):
    """The difference one revision makes to one player, sent under a key that makes repeats harmless."""

    append_only = True

    key = id_field(_("key"))
    settlement = models.ForeignKey(
        "tables.Settlement",
        on_delete=models.PROTECT,
        related_name="wallet_transactions",
        verbose_name=_("settlement"),
    )
    player = models.ForeignKey(
        "tables.Player",
        on_delete=models.PROTECT,
        related_name="wallet_transactions",
        verbose_name=_("player"),
    )
    kind = models.CharField(_("kind"), max_length=10)
    amount_minor = MinorSumField(_("amount"))
    currency = models.CharField(_("currency"), max_length=3)
    bet_ids = ArrayField(models.BigIntegerField(), verbose_name=_("bets"))
    created_at = models.DateTimeField(_("booked"))

    class Meta:
        verbose_name = _("wallet transaction")
        verbose_name_plural = _("wallet transactions")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["key"], name="wallettransaction_key_once"),
            models.CheckConstraint(condition=~Q(amount_minor=0), name="wallettransaction_moves_something"),
            one_of("kind", TransactionKind, "wallettransaction_kind_known"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def owed_minor(self) -> int:
        """Return what the wallet could not take back of it, 0 for none."""
        receivable = getattr(self, "receivable", None)
        return receivable.amount_minor if receivable is not None else 0


class WalletDelivery(models.Model):
    """The message that carries a wallet transaction. Only this half changes."""

    append_only = True
    updatable_columns = (
        "status",
        "attempts",
        "due_at",
        "leased_until",
        "answered_at",
        "answer",
        "last_error",
        "debit_policy",
        "is_forced",
        "asked_minor",
    )

    transaction = models.OneToOneField(
        WalletTransaction, on_delete=models.PROTECT, primary_key=True, related_name="delivery"
    )
    player = models.ForeignKey("tables.Player", on_delete=models.PROTECT, related_name="+", db_index=False)
    status = models.CharField(_("state"), max_length=9, default=DeliveryStatus.WAITING.value)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    due_at = models.DateTimeField(_("due"))
    leased_until = models.DateTimeField(_("being sent until"), null=True)
    answered_at = models.DateTimeField(_("answered"), null=True)
    answer = models.CharField(_("answer"), max_length=16, blank=True)
    last_error = models.CharField(_("last error"), max_length=300, blank=True)
    debit_policy = models.CharField(
        _("when the wallet is short, for this message"), max_length=8, blank=True, default="", db_default=""
    )
    is_forced = models.BooleanField(_("forced"), default=False, db_default=False)
    asked_minor = MinorSumField(_("asked for, where less than the transaction"), null=True)

    class Meta:
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")
        default_permissions = ("view",)
        permissions = [("mend_wallet_message", "Send a dead letter again, or settle it by hand")]
        constraints = [
            one_of("status", DeliveryStatus, "walletdelivery_status_known"),
            models.CheckConstraint(
                condition=Q(debit_policy__in=["", *(policy.value for policy in DebitPolicy)]),
                name="walletdelivery_debit_policy_known",
            ),
            models.CheckConstraint(
                condition=Q(asked_minor__isnull=True) | Q(asked_minor__lt=0, is_forced=False),
                name="walletdelivery_asks_less_or_all",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(status=DeliveryStatus.WAITING.value), name="walletdelivery_due"
            ),
            models.Index(
                fields=["player", "transaction"],
                condition=Q(status__in=UNFINISHED),
                name="walletdelivery_queue_of_player",
            ),
            models.Index(
                fields=["-answered_at", "-transaction"],
                condition=Q(status=DeliveryStatus.DEAD.value),
                name="walletdelivery_dead_newest",
            ),
        ]

    def __str__(self) -> str:
        return self.status


class HandStatement(models.Model):
    """That somebody said of a message that was given up: its money was moved outside the wallet.

    Above the table's threshold it takes two persons. It is about the time it was given up: sent again, it
    takes new ones. Who said it may withdraw it while the message is still given up, and say it again.
    """

    append_only = True
    updatable_columns = ("withdrawn_at",)

    delivery = models.ForeignKey(
        WalletDelivery, on_delete=models.PROTECT, related_name="hand_statements", db_index=False
    )
    given_up_at = models.DateTimeField(_("given up"))
    said_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    said_at = models.DateTimeField(_("said"))
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True)

    class Meta:
        verbose_name = _("statement that a message is settled by hand")
        verbose_name_plural = _("statements that messages are settled by hand")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["delivery", "given_up_at", "said_by"],
                condition=Q(withdrawn_at=None),
                name="handstatement_once_a_person",
            )
        ]

    def __str__(self) -> str:
        return f"{self.said_by_id} of {self.delivery_id}"


class Receivable(models.Model):
    """What the wallet could not take back of a transaction. Bluecard keeps no balances, only this claim."""

    append_only = True

    transaction = models.OneToOneField(
        WalletTransaction, on_delete=models.PROTECT, primary_key=True, related_name="receivable"
    )
    player = models.ForeignKey("tables.Player", on_delete=models.PROTECT, related_name="receivables")
    amount_minor = MinorSumField(_("owed"))
    currency = models.CharField(_("currency"), max_length=3)
    booked_at = models.DateTimeField(_("booked"))

    class Meta:
        verbose_name = _("receivable")
        verbose_name_plural = _("receivables")
        default_permissions = ("view",)
        constraints = [models.CheckConstraint(condition=Q(amount_minor__gt=0), name="receivable_is_owed")]

    def __str__(self) -> str:
        return f"{self.amount_minor} {self.currency}"


class ClosingKind(StrEnum):
    """How a claim ended."""

    PAID_BACK = "paid_back"
    WRITTEN_OFF = "written_off"


class ReceivableClosing(models.Model):
    """That nothing is owed any more of a receivable. Who said so, and why, stands in the journal."""

    append_only = True

    receivable = models.OneToOneField(
        Receivable, on_delete=models.PROTECT, primary_key=True, related_name="closing"
    )
    how = models.CharField(_("how it ended"), max_length=11)
    closed_at = models.DateTimeField(_("ended"))

    class Meta:
        verbose_name = _("end of a receivable")
        verbose_name_plural = _("ends of receivables")
        default_permissions = ("view",)
        constraints = [one_of("how", ClosingKind, "receivableclosing_how_known")]

    def __str__(self) -> str:
        return self.how


class Bell(StrEnum):
    """What an outbox row asks a worker to look at."""

    SETTLE = "settle"
    RULING = "ruling"
    RECONCILE = "reconcile"


class Outbox(models.Model):
    """Work promised inside a transaction. A task is only the bell; this row is the promise."""

    bell = models.CharField(_("bell"), max_length=16)
    subject_id = models.BigIntegerField(_("subject"))
    created_at = models.DateTimeField(_("promised"))
    rung_at = models.DateTimeField(_("last rung"))

    class Meta:
        verbose_name = _("promise")
        verbose_name_plural = _("outbox")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["bell", "subject_id"], name="outbox_promise_once"),
            one_of("bell", Bell, "outbox_bell_known"),
        ]
        indexes = [models.Index(fields=["rung_at"], name="outbox_longest_unrung")]

    def __str__(self) -> str:
        return f"{self.bell} {self.subject_id}"
