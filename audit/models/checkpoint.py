"""The journal, sealed: its leaves in a Merkle tree, signed checkpoints, and who else has seen them."""

from typing import Final

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class PendingEntry(models.Model):
    """A journal entry not yet sealed; a trigger adds the row with the entry, and the sealer takes it away."""

    entry_id = models.BigIntegerField(_("entry"), primary_key=True)

    class Meta:
        verbose_name = _("entry not yet sealed")
        verbose_name_plural = _("entries not yet sealed")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return str(self.entry_id)


class Leaf(models.Model):
    """The place of one journal entry in the tree. Numbers begin at 0 and have no gaps.

    No foreign key: an entry that is gone must leave its leaf behind, for the proof to name it.
    """

    append_only = True

    index = models.BigIntegerField(_("leaf"), primary_key=True)
    entry_id = models.BigIntegerField(_("entry"), unique=True)
    hash = models.BinaryField(_("leaf hash"), max_length=32)

    class Meta:
        verbose_name = _("sealed entry")
        verbose_name_plural = _("sealed entries")
        default_permissions = ("view",)
        constraints = [models.CheckConstraint(condition=Q(index__gte=0), name="leaf_index_not_negative")]

    def __str__(self) -> str:
        return str(self.index)


class TreeNode(models.Model):
    """The root of a full subtree of 2^level leaves, kept for every eighth level."""

    append_only = True

    pk = models.CompositePrimaryKey("level", "number")
    level = models.PositiveSmallIntegerField(_("level"))
    number = models.BigIntegerField(_("number"))
    hash = models.BinaryField(_("hash"), max_length=32)

    class Meta:
        verbose_name = _("node of the tree")
        verbose_name_plural = _("nodes of the tree")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.level}/{self.number}"


class Checkpoint(models.Model):
    """What the sealer signed: so many leaves, with this root."""

    append_only = True

    size = models.BigIntegerField(_("entries sealed"), primary_key=True)
    root = models.BinaryField(_("root"), max_length=32)
    note = models.TextField(_("signed note"))
    sealed_at = models.DateTimeField(_("sealed"))

    class Meta:
        verbose_name = _("checkpoint")
        verbose_name_plural = _("checkpoints")
        default_permissions = ("view",)
        constraints = [models.CheckConstraint(condition=Q(size__gte=1), name="checkpoint_seals_something")]

    def __str__(self) -> str:
        return str(self.size)


class Cosignature(models.Model):
    """A witness's signature under a checkpoint."""

    append_only = True

    checkpoint = models.ForeignKey(
        Checkpoint, on_delete=models.PROTECT, related_name="cosignatures", verbose_name=_("checkpoint")
    )
    witness = models.CharField(_("witness"), max_length=120)
    line = models.CharField(_("signature"), max_length=400)
    cosigned_at = models.DateTimeField(_("witnessed"))

    class Meta:
        verbose_name = _("cosignature")
        verbose_name_plural = _("cosignatures")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["checkpoint", "witness"], name="cosignature_once"),
        ]

    def __str__(self) -> str:
        return f"{self.witness} {self.checkpoint_id}"


class WitnessState(models.Model):
    """What the witness said last: how far it has seen, or why it will not sign."""

    witness = models.CharField(_("witness"), max_length=120, primary_key=True)
    size = models.BigIntegerField(_("entries witnessed"), default=0)
    problem = models.CharField(_("problem"), max_length=300, blank=True)
    is_away = models.BooleanField(_("does not answer"), default=False, db_default=False)
    asked_at = models.DateTimeField(_("asked"))

    class Meta:
        verbose_name = _("state of a witness")
        verbose_name_plural = _("states of witnesses")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.witness


#: A check that could not be made, which is no alteration: it stands among the problems and is not counted.
NOT_CHECKED: Final = frozenset({"no_key"})


class Verification(models.Model):
    """One run of the check over all that is sealed, and what it found."""

    append_only = True

    size = models.BigIntegerField(_("entries checked"))
    started_at = models.DateTimeField(_("begun"))
    finished_at = models.DateTimeField(_("verified"))
    problems_count = models.PositiveIntegerField(_("problems"))
    problems = models.JSONField(_("the first problems"), default=list)

    class Meta:
        verbose_name = _("verification")
        verbose_name_plural = _("verifications")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(finished_at__gte=F("started_at")), name="verification_times_ordered"
            )
        ]
        indexes = [models.Index(fields=["-finished_at", "-id"], name="verification_newest")]

    def __str__(self) -> str:
        return str(self.size)

    @property
    def not_checked(self) -> str:
        """Say what could not be checked; empty where everything was."""
        return next((one["words"] for one in self.problems if one["kind"] in NOT_CHECKED), "")
