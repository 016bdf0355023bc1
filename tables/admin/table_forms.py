"""What a person types for the named actions of a table. The forms read; the services decide."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tables import words
from tables.admin.action_page import ActionForm
from tables.rules.currencies import read_money
from tables.rules.drawing import Place

LONGEST_NUMBER = 999_999_999
RANGE = re.compile(r"\s*[–—-]\s*|\s+")
CARD_ATTRS = {
    "autocapitalize": "characters",
    "spellcheck": "false",
    "data-previews": "",
}


class ShoeForm(ActionForm):
    decks = forms.IntegerField(label=_("Decks"), min_value=1, max_value=99)
    card_set = forms.RegexField(
        r"^[\x21-\x7e]+$",
        label=_("Card set"),
        required=False,
        max_length=64,
        help_text=_("As it stands on the box. A ruling on these decks finds the shoe by it."),
        error_messages={"invalid": _("Letters, digits and signs without a space, as in RED-041.")},
    )


class CutForm(ActionForm):
    from_back = forms.IntegerField(
        label=_("Cards from the back"),
        max_value=LONGEST_NUMBER,
        help_text=_("How many cards lie behind the blue card."),
    )


class BurnForm(ActionForm):
    service_names: ClassVar = {"faces": "count"}

    turned = forms.CharField(
        label=_("Card turned up"),
        max_length=20,
        required=False,
        widget=forms.TextInput(CARD_ATTRS),
        help_text=_("The first card of the shoe, as 10H; empty where none is turned."),
    )
    count = forms.IntegerField(
        label=_("Cards burned"),
        max_value=LONGEST_NUMBER,
        help_text=_("As many as were burned besides the card turned up."),
    )


class MeantForm(ActionForm):
    """A form about one round: it knows which one its writer saw."""

    number = forms.IntegerField(
        label=_("Round"), required=False, max_value=LONGEST_NUMBER, widget=forms.HiddenInput
    )


class CoupForm(MeantForm):
    cards = forms.CharField(
        label=_("Cards in the order dealt"),
        max_length=120,
        widget=forms.TextInput({**CARD_ATTRS, "placeholder": "6H 4H 4C 6S"}),
        help_text=_(
            "Player, Banker, Player, Banker, then third cards. Rank A 2–10 J Q K, suit S H D C, as 6H 10S."
        ),
    )


class CardForm(MeantForm):
    place = forms.ChoiceField(
        label=_("Place"),
        choices=[
            (Place.P1.value, _("Player, first card")),
            (Place.B1.value, _("Banker, first card")),
            (Place.P2.value, _("Player, second card")),
            (Place.B2.value, _("Banker, second card")),
            (Place.P3.value, _("Player, third card")),
            (Place.B3.value, _("Banker, third card")),
        ],
        widget=forms.Select({"data-previews": ""}),
    )
    card = forms.CharField(
        label=_("Card"),
        max_length=20,
        widget=forms.TextInput({**CARD_ATTRS, "placeholder": "10H"}),
        help_text=_("Rank A 2–10 J Q K, then suit S H D C."),
    )

    def put_focus(self) -> None:
        """Put the cursor to the card: its place is filled in with the one that is due."""
        super().put_focus()
        if "place" not in self.errors:
            self.fields["place"].widget.attrs.pop("autofocus", None)
            self.fields["card"].widget.attrs["autofocus"] = True


class GapForm(ActionForm):
    first_seq = forms.IntegerField(
        label=_("First missing event"), required=False, max_value=2**63 - 1, widget=forms.HiddenInput
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("Why the missing events will not come. It stands in the journal."),
    )


class LimitsForm(ActionForm):
    """The lowest and highest stake, typed in whole units of a currency and read as minor units."""

    service_names: ClassVar = {"limits": "largest"}

    smallest = forms.CharField(
        label=_("Lowest stake"), max_length=30, widget=forms.TextInput({"inputmode": "decimal"})
    )
    largest = forms.CharField(
        label=_("Highest stake"), max_length=30, widget=forms.TextInput({"inputmode": "decimal"})
    )

    def __init__(self, *args: Any, currency: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.of_currency = currency

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        currency = self.of_currency or str(typed.get("currency") or "")
        for name in ("smallest", "largest"):
            if name not in typed or not currency:
                continue
            try:
                typed[name] = read_money(typed[name], currency)
            except ValueError as error:
                self.add_error(name, ValidationError(str(error), code="money/form"))
        return typed


class BetLimitsForm(ActionForm):
    """A field for each kind of bet, written as the lowest and the highest stake in whole units."""

    def __init__(self, *args: Any, currency: str, kinds: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.of_currency = currency
        for kind, label in kinds.items():
            self.fields[field_of(kind)] = forms.CharField(
                label=label,
                max_length=70,
                required=False,
                widget=forms.TextInput(
                    {"class": "bc-input", "autocomplete": "off", "placeholder": "100 – 50,000"}
                ),
            )
        self.kinds = tuple(kinds)

    def refuse(self, service_field: str, rule: str, message: str) -> None:
        """Put a service's refusal to the field of the kind it is about."""
        super().refuse(field_of(service_field.removeprefix("bets.")), rule, message)

    def clean(self) -> dict[str, Any]:
        """Read the fields into `bet_limits`; one left empty is not among them."""
        typed = super().clean() or {}
        limits = {}
        for kind in self.kinds:
            text = typed.get(field_of(kind), "")
            if not text:
                continue
            try:
                limits[kind] = _read_range(text, self.of_currency)
            except ValueError as error:
                self.add_error(field_of(kind), ValidationError(str(error), code="money/form"))
        return {**typed, "bet_limits": limits}


def field_of(kind: str) -> str:
    """Name the field of a kind of bet."""
    return f"bet_{kind}"


def _read_range(text: str, currency: str) -> tuple[int, int]:
    parts = RANGE.split(text.strip())
    if len(parts) != 2:
        raise ValueError(f"{text[:40]!r} is not a lowest and a highest stake, as 100 – 50,000")
    return read_money(parts[0], currency), read_money(parts[1], currency)


class ReasonForm(ActionForm):
    """Why something is done to a table."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("It stands in the journal."),
    )


class CloseForm(ReasonForm):
    by_fault = forms.BooleanField(
        label=_("A system failed: hold the round in play until it is decided"), required=False
    )


class RulebookForm(ActionForm):
    rulebook = forms.ChoiceField(label=_("Rulebook"))

    def __init__(self, *args: Any, rulebooks: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rulebook"].choices = rulebooks  # type: ignore[attr-defined]


class DebitPolicyForm(ActionForm):
    policy = forms.ChoiceField(
        label=_("When the wallet is short"), choices=list(words.DEBIT_POLICIES.items())
    )


class CameraForm(ActionForm):
    camera = forms.CharField(
        label=_("Camera"),
        max_length=40,
        required=False,
        help_text=_("As the recorder calls it; empty where it is called as the table."),
    )


class SetUpForm(LimitsForm):
    """A new table."""

    service_names: ClassVar = {"limits": "largest", "gaming_day_starts_hour": "hour"}
    field_order = ("code", "name", "rulebook", "currency", "smallest", "largest", "zone", "hour")

    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        help_text=_(
            "2 to 6 letters and digits, a letter first, without I, L, O, U. Round IDs begin with it."
        ),
    )
    name = forms.CharField(label=_("Name"), max_length=200)
    rulebook = forms.ChoiceField(label=_("Rulebook"))
    currency = forms.CharField(label=_("Currency"), max_length=10, help_text=_("Three letters, as THB."))
    zone = forms.CharField(label=_("Time zone"), max_length=64, help_text=_("As Asia/Bangkok."))
    hour = forms.IntegerField(label=_("Gaming day starts, hour"), min_value=0, max_value=23)
    is_animation = forms.BooleanField(label=_("Animation table: bets have no windows"), required=False)

    def __init__(self, *args: Any, rulebooks: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rulebook"].choices = rulebooks  # type: ignore[attr-defined]

    def clean_code(self) -> str:
        return str(self.cleaned_data["code"]).upper()

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).upper()


class KeyForm(ActionForm):
    """A new API key."""

    label = forms.CharField(
        label=_("Label"), max_length=200, help_text=_("Which machine it is for. It stands in the journal.")
    )
    table = forms.ChoiceField(label=_("Table"), required=False)
    scopes = forms.MultipleChoiceField(
        label=_("What it opens"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(
        self,
        *args: Any,
        tables: list[tuple[str, Any]],
        scopes: list[tuple[str, str | Promise]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["table"].choices = [("", _("none: for the whole house")), *tables]  # type: ignore[attr-defined]
        self.fields["scopes"].choices = scopes  # type: ignore[attr-defined]


class NothingForm(ActionForm):
    """An action that needs no more than to be confirmed."""
