"""Where a table wants to be called when something is decided about it."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class TableWebhook(models.Model):
    """The address of one table's platform, and the secret that what is sent there is signed with.

    The secret is shown once, when it is made, and by nothing here afterwards.
    """

    table = models.OneToOneField(
        "tables.GameTable", on_delete=models.PROTECT, primary_key=True, related_name="webhook"
    )
    url = models.CharField(_("address"), max_length=500)
    secret = models.CharField(max_length=64, blank=True, editable=False)
    is_active = models.BooleanField(_("in use"), default=True)
    changed_at = models.DateTimeField(_("changed"))

    class Meta:
        verbose_name = _("webhook of a table")
        verbose_name_plural = _("webhooks of tables")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(is_active=False) | Q(url__gt="", secret__gt=""),
                name="tablewebhook_in_use_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"webhook of {self.table_id}"
