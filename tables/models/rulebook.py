"""A published version of a house's rules."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Rulebook(models.Model):
    """One immutable version of a rulebook. Changing a rule is a new version; a round keeps its own."""

    append_only = True

    code = models.CharField(_("rulebook"), max_length=64)
    version = models.PositiveIntegerField(_("version"))
    content_hash = models.CharField(_("SHA-256 of the document"), max_length=64)
    document = models.TextField(_("document"))
    effective_from = models.DateTimeField(_("effective from"))
    published_at = models.DateTimeField(_("published"))

    class Meta:
        verbose_name = _("rulebook")
        verbose_name_plural = _("rulebooks")
        default_permissions = ("view",)
        permissions = [("publish_rulebook", "Publish a rulebook")]
        constraints = [
            models.UniqueConstraint(fields=["code", "version"], name="rulebook_version_once"),
            models.UniqueConstraint(fields=["code", "content_hash"], name="rulebook_content_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="rulebook_version_positive"),
            models.CheckConstraint(
                condition=Q(content_hash__regex=r"^[0-9a-f]{64}$"), name="rulebook_hash_form"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code}, version {self.version}"
