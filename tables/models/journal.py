"""The journal: one entry for every business event, written in its transaction."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class JournalEntry(models.Model):
    """What was done, by whom, to what. `body` is the canonical text that `leaf_hash` commits to."""

    append_only = True

    action = models.CharField(_("action"), max_length=48)
    subject_type = models.CharField(_("kind of subject"), max_length=24)
    subject_id = models.BigIntegerField(_("subject"))
    subject_label = models.CharField(_("label"), max_length=64)
    actor_kind = models.CharField(_("kind of actor"), max_length=8)
    actor_id = models.CharField(_("actor"), max_length=64)
    at = models.DateTimeField(_("time"))
    request_id = models.CharField(_("request"), max_length=64, blank=True)
    body = models.BinaryField(_("canonical body"))
    leaf_hash = models.BinaryField(_("leaf hash"), max_length=32)

    class Meta:
        verbose_name = _("journal entry")
        verbose_name_plural = _("journal")
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["subject_type", "subject_id", "-id"], name="journalentry_of_subject"),
            models.Index(fields=["-at", "-id"], name="journalentry_newest"),
        ]

    def __str__(self) -> str:
        return self.action


class JournalText(models.Model):
    """Free text of an entry: the entry itself holds only a salted commitment to it. The erasable half."""

    entry = models.ForeignKey(JournalEntry, on_delete=models.PROTECT, related_name="texts")
    name = models.CharField(_("name"), max_length=80)
    salt = models.BinaryField(_("salt"), max_length=16)
    text = models.TextField(_("text"))
    player = models.ForeignKey(
        "tables.Player", on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("player")
    )

    class Meta:
        verbose_name = _("text of a journal entry")
        verbose_name_plural = _("texts of journal entries")
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["entry", "name"], name="journaltext_once")]

    def __str__(self) -> str:
        return self.name
