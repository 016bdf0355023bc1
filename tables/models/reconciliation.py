"""Comparisons of what Bluecard says of the wallet with what the wallet says of itself."""

from enum import StrEnum

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import MinorSumField, id_field, one_of


class DriftKind(StrEnum):
    """How the two records differ about one key."""

    MISSING_THERE = "missing_there"  # we say delivered, the wallet does not know it
    UNKNOWN_HERE = "unknown_here"  # the wallet booked what Bluecard never wrote
    GIVEN_UP_HERE = "given_up_here"  # the wallet booked what Bluecard gave up or had settled by hand
    AMOUNT = "amount"  # both have it, with another amount or currency
    PLAYER = "player"  # both have it, for another player
    TWICE = "twice"  # the wallet booked it more than once


class Reconciliation(models.Model):
    """One comparison, from the moment it is asked for. Until it is finished it is open; only one may be."""

    asked_by = models.CharField(_("asked by"), max_length=80)
    asked_at = models.DateTimeField(_("asked"))
    started_at = models.DateTimeField(_("started"), null=True)
    seen_at = models.DateTimeField(_("last sign of life"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    ours_count = models.PositiveBigIntegerField(_("delivered by our word"), default=0)
    read_count = models.PositiveBigIntegerField(_("read from the wallet"), default=0)
    drift_count = models.PositiveBigIntegerField(_("drift"), default=0)
    failure = models.CharField(_("why it failed"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("reconciliation")
        verbose_name_plural = _("reconciliations")
        default_permissions = ("view",)
        permissions = [("reconcile_wallet", "Compare our wallet messages with the wallet's record")]
        constraints = [
            models.UniqueConstraint(
                fields=["finished_at"],
                condition=Q(finished_at__isnull=True),
                nulls_distinct=False,
                name="reconciliation_one_open",
            ),
            models.CheckConstraint(
                condition=Q(finished_at__isnull=True)
                | Q(started_at__isnull=False, finished_at__gte=models.F("started_at")),
                name="reconciliation_times_ordered",
            ),
            models.CheckConstraint(
                condition=Q(failure="") | Q(finished_at__isnull=False), name="reconciliation_failed_is_over"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.asked_at:%Y-%m-%d %H:%M}"

    @property
    def state(self) -> str:
        """Return waiting, running, failed, drift or agrees."""
        if self.finished_at is None:
            return "running" if self.started_at else "waiting"
        if self.failure:
            return "failed"
        return "drift" if self.drift_count else "agrees"


class WalletDrift(models.Model):
    """One key about which the two records differ. It names no player: the key holds our own number of one."""

    append_only = True

    reconciliation = models.ForeignKey(
        Reconciliation,
        on_delete=models.PROTECT,
        related_name="drifts",
        db_index=False,
        verbose_name=_("reconciliation"),
    )
    kind = models.CharField(_("how they differ"), max_length=13)
    key = id_field(_("key"), max_length=200)
    transaction = models.ForeignKey(
        "tables.WalletTransaction", on_delete=models.PROTECT, null=True, related_name="+"
    )
    ours_minor = MinorSumField(_("by our word"), null=True)
    theirs_minor = MinorSumField(_("by the wallet's word"), null=True)
    currency = models.CharField(_("currency"), max_length=3)
    number = models.BigIntegerField(_("number at the wallet"), null=True)

    class Meta:
        verbose_name = _("drift")
        verbose_name_plural = _("drift")
        default_permissions = ("view",)
        constraints = [
            one_of("kind", DriftKind, "walletdrift_kind_known"),
            models.UniqueConstraint(fields=["reconciliation", "kind", "key"], name="walletdrift_once"),
        ]

    def __str__(self) -> str:
        return self.key
