"""What keeps a player's personal data from being erased."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class LegalHold(models.Model):
    """A player's data have to be kept: a court or a dispute wants them. In force until lifted.

    While it stands a trigger refuses to erase anything that names the player.
    """

    append_only = True
    updatable_columns = ("reason", "lifted_by", "lifted_at")

    player = models.ForeignKey(
        "tables.Player", on_delete=models.PROTECT, related_name="legal_holds", verbose_name=_("player")
    )
    reason = models.TextField(_("reason"))
    placed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    placed_at = models.DateTimeField(_("placed"))
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    lifted_at = models.DateTimeField(_("lifted"), null=True)

    class Meta:
        verbose_name = _("legal hold")
        verbose_name_plural = _("legal holds")
        default_permissions = ("view",)
        permissions = [
            ("place_legal_hold", "Place and lift legal holds"),
            ("erase_player", "Erase a player's personal data"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(reason__gt=""), name="legalhold_says_why"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by__isnull=True)
                | Q(lifted_at__isnull=False, lifted_by__isnull=False),
                name="legalhold_lifted_by_someone",
            ),
            models.UniqueConstraint(
                fields=["player"], condition=Q(lifted_at__isnull=True), name="legalhold_one_in_force"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.player_id}"
