"""Fields that choose one row of many: a list while it can be listed whole, else its name is typed."""

from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.models import Person
from tables.models import GameTable

LONGEST_LIST: Final = 500
Said = str | Any


class TypedName(forms.CharField):
    """The name of a row, typed as it is written; several that bear it are told apart by their number."""

    def __init__(self, rows: QuerySet[Any], by: str, help_text: Said, **kwargs: Any) -> None:
        super().__init__(max_length=220, help_text=help_text, **kwargs)
        self.rows, self.by = rows, by

    def prepare_value(self, value: Any) -> Any:
        """Show a row that stands in the form beforehand by its name."""
        if not isinstance(value, int):
            return value
        return self.rows.filter(pk=value).values_list(self.by, flat=True).first()

    def clean(self, value: Any) -> str:
        """Return the key of the row, as a list of choices would.

        :raises ValidationError: if no row bears the name, or several do.
        """
        typed = super().clean(value)
        if not typed:
            return ""
        name, _hash, number = typed.rpartition(" #")
        of_number = {"pk": int(number)} if name and number.isdecimal() and len(number) < 19 else {}
        wanted = {f"{self.by}__iexact": name if of_number else typed}
        found = list(self.rows.filter(**wanted, **of_number).order_by("pk").values_list("pk", flat=True)[:5])
        if not found:
            raise ValidationError(_("Nothing there is called so."), code="choice/unknown")
        if len(found) > 1:
            names = ", ".join(f"{typed} #{key}" for key in found)
            raise ValidationError(
                _("Several are called so. Type one of: %(names)s") % {"names": names}, code="choice/several"
            )
        return str(found[0])


def chosen(
    rows: QuerySet[Any],
    by: str,
    *,
    label: Said,
    called: Callable[[Any], str],
    help_text: Said,
    first: tuple[tuple[str, Said], ...] = (),
) -> forms.Field:
    """Make the field for one of these rows; with a first choice besides, it may be left as that."""
    listed: list[Model] = list(rows.order_by(by, "pk")[: LONGEST_LIST + 1])
    if len(listed) > LONGEST_LIST:
        field: forms.Field = TypedName(rows, by, help_text, label=label, required=not first)
    else:
        choices = [*first, *((str(one.pk), called(one)) for one in listed)]
        field = forms.ChoiceField(label=label, choices=choices, required=not first)
    field.widget.attrs |= {"class": "bc-input", "autocomplete": "off"}
    return field


def account_field() -> forms.Field:
    """Make the field for an account in use."""
    return chosen(
        User.objects.filter(is_active=True),
        "username",
        label=gettext_lazy("Account"),
        called=lambda user: f"{user.get_username()} · {user.get_full_name()}".strip(" ·"),
        help_text=gettext_lazy("There are too many to list: type the log-in, as it stands under Accounts."),
    )


def person_field() -> forms.Field:
    """Make the field for a person who is known, or for none."""
    return chosen(
        Person.objects.all(),
        "name",
        label=gettext_lazy("Person"),
        called=lambda person: str(person.name),
        help_text=gettext_lazy("There are too many to list: type the whole name; empty for a new one."),
        first=(("", gettext_lazy("a new one")),),
    )


def table_field() -> forms.Field:
    """Make the field for a table."""
    return chosen(
        GameTable.objects.all(),
        "code",
        label=gettext_lazy("Table"),
        called=lambda table: str(table.code),
        help_text=gettext_lazy("There are too many to list: type the table's code."),
    )
