"""Who dealt and who played. A player's reference lies apart, so that it can be erased."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from tables.models.fields import id_field


class Dealer(models.Model):
    reference = models.CharField(_("reference"), max_length=32, unique=True)
    name = models.CharField(_("name"), max_length=80)

    class Meta:
        verbose_name = _("dealer")
        verbose_name_plural = _("dealers")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name


class Player(models.Model):
    """A player as immutable rows know one: by this number and nothing else."""

    append_only = True

    first_seen_at = models.DateTimeField(_("first seen"))

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"#{self.pk}"


class PlayerIdentity(models.Model):
    """What names a player outside. The erasable half."""

    player = models.OneToOneField(Player, on_delete=models.PROTECT, primary_key=True, related_name="identity")
    reference = id_field(_("reference"))

    class Meta:
        verbose_name = _("player's reference")
        verbose_name_plural = _("players' references")
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["reference"], name="playeridentity_reference_once")]

    def __str__(self) -> str:
        return self.reference
