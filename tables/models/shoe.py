"""A shoe and every card that left it."""

from enum import StrEnum

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.fields import id_field, one_of
from tables.rules.cards import Card as Face

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")


class ShoeStatus(StrEnum):
    OPEN = "open"
    ENDED = "ended"
    REPLACED = "replaced"
    CANCELLED = "cancelled"


class CardPlace(StrEnum):
    """Where a card went. The first six are places of a coup, in the order of the deal."""

    P1 = "P1"
    B1 = "B1"
    P2 = "P2"
    B2 = "B2"
    P3 = "P3"
    B3 = "B3"
    TURNED = "turned"
    BURNED = "burned"
    DISCARD = "discard"
    EXPOSED = "exposed"
    EXTRA = "extra"
    DROPPED = "dropped"


COUP_PLACES = ("P1", "B1", "P2", "B2", "P3", "B3")


class CardSource(StrEnum):
    SCAN = "scan"
    RESCAN = "rescan"
    KEYED = "keyed"


class Shoe(models.Model):
    """A shoe from the start to its end. Its card ledger adds up to 52 a deck at every moment."""

    table = models.ForeignKey(
        "tables.GameTable", on_delete=models.PROTECT, related_name="shoes", verbose_name=_("table")
    )
    rulebook = models.ForeignKey(
        "tables.Rulebook", on_delete=models.PROTECT, related_name="+", verbose_name=_("rulebook")
    )
    gaming_date = models.DateField(_("gaming date"))
    number = models.PositiveSmallIntegerField(_("number"))
    public_id = id_field(_("shoe"), 24)
    platform_id = models.CharField(_("platform's ID"), max_length=64, blank=True)
    decks = models.PositiveSmallIntegerField(_("decks"))
    card_set = id_field(_("card set"), blank=True)
    status = models.CharField(_("state"), max_length=16, default=ShoeStatus.OPEN.value)
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), null=True)
    end_reason = models.CharField(_("why it ended"), max_length=200, blank=True)
    cut_from_back = models.PositiveSmallIntegerField(_("blue card, cards from the back"), null=True)
    burn_due = models.PositiveSmallIntegerField(_("cards to burn"), null=True)
    burn_done = models.PositiveSmallIntegerField(_("cards burned"), null=True)
    cards_out = models.PositiveSmallIntegerField(_("cards out"), default=0)
    blue_card_at = models.DateTimeField(_("blue card came out"), null=True)
    blue_card_after = models.PositiveSmallIntegerField(_("cards out before the blue card"), null=True)
    last_round_number = models.PositiveSmallIntegerField(_("last round"), null=True)
    order_fingerprint = models.CharField(_("fingerprint of the deck order"), max_length=64, blank=True)

    class Meta:
        verbose_name = _("shoe")
        verbose_name_plural = _("shoes")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="shoe_public_id_once"),
            models.UniqueConstraint(
                fields=["table", "gaming_date", "number"], name="shoe_number_once_per_day"
            ),
            models.UniqueConstraint(
                fields=["table"], condition=Q(status=ShoeStatus.OPEN.value), name="shoe_one_open_per_table"
            ),
            models.CheckConstraint(condition=Q(decks__in=[6, 8]), name="shoe_decks_known"),
            models.CheckConstraint(condition=Q(number__gte=1, number__lte=99), name="shoe_number_in_range"),
            models.CheckConstraint(
                condition=Q(cards_out__lte=F("decks") * 52), name="shoe_cards_out_in_range"
            ),
            models.CheckConstraint(
                condition=Q(cut_from_back__isnull=True)
                | Q(cut_from_back__gte=1, cut_from_back__lt=F("decks") * 52),
                name="shoe_cut_in_range",
            ),
            models.CheckConstraint(
                condition=Q(status=ShoeStatus.OPEN.value, ended_at__isnull=True)
                | (~Q(status=ShoeStatus.OPEN.value) & Q(ended_at__isnull=False)),
                name="shoe_ended_has_time",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("started_at")),
                name="shoe_times_ordered",
            ),
            one_of("status", ShoeStatus, "shoe_status_known"),
        ]
        indexes = [
            models.Index(fields=["-started_at", "-id"], name="shoe_newest"),
            models.Index(fields=["card_set"], condition=Q(card_set__gt=""), name="shoe_card_set"),
            models.Index(
                fields=["order_fingerprint"],
                condition=Q(order_fingerprint__gt=""),
                name="shoe_order_fingerprint",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class Card(models.Model):
    """One card that left a shoe. A correction is a new row that supersedes the old one."""

    append_only = True

    shoe = models.ForeignKey(Shoe, on_delete=models.PROTECT, related_name="cards", db_index=False)
    position = models.PositiveSmallIntegerField(_("number in the shoe"))
    place = models.CharField(_("where it went"), max_length=8)
    rank = models.CharField(_("rank"), max_length=2, null=True)  # noqa: DJ001  null = face unseen
    suit = models.CharField(_("suit"), max_length=1, null=True)  # noqa: DJ001
    round = models.ForeignKey(
        "tables.Round", on_delete=models.PROTECT, null=True, related_name="cards", db_index=False
    )
    deal = models.ForeignKey("tables.Deal", on_delete=models.PROTECT, null=True, related_name="cards")
    source = models.CharField(_("source"), max_length=8)
    device = models.CharField(_("device"), max_length=64, blank=True)
    at = models.DateTimeField(_("time"))
    authority = models.UUIDField(_("authority"), null=True)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="superseded_by"
    )

    class Meta:
        verbose_name = _("card")
        verbose_name_plural = _("cards")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["shoe", "position"],
                condition=Q(supersedes__isnull=True),
                name="card_position_once_per_shoe",
            ),
            models.CheckConstraint(
                # Said in full: a check that comes out NULL, as of half a face, would let the row pass.
                condition=Q(rank__isnull=True, suit__isnull=True)
                | Q(rank__isnull=False, suit__isnull=False, rank__in=RANKS, suit__in=SUITS),
                name="card_face_known_or_unseen",
            ),
            models.CheckConstraint(
                condition=Q(place__in=COUP_PLACES, deal__isnull=False)
                | (~Q(place__in=COUP_PLACES) & Q(deal__isnull=True)),
                name="card_in_coup_has_deal",
            ),
            models.CheckConstraint(
                condition=Q(position__gte=1, position__lte=416), name="card_position_in_range"
            ),
            one_of("place", CardPlace, "card_place_known"),
            one_of("source", CardSource, "card_source_known"),
        ]
        indexes = [
            models.Index(fields=["shoe", "position"], name="card_of_shoe"),
            models.Index(fields=["round"], condition=Q(round__isnull=False), name="card_of_round"),
        ]

    def __str__(self) -> str:
        face = f"{self.rank}{self.suit}" if self.rank else "unseen"
        return f"{self.place} {face}"

    @property
    def face(self) -> Face:
        """Return the face.

        :raises ValueError: if nobody saw it.
        """
        if self.rank is None or self.suit is None:
            raise ValueError(f"card {self.position} was not seen")
        return Face(self.rank, self.suit)
