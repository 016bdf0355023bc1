"""Columns that several models share, so that a sum of money is declared in one way only."""

from typing import Any

from django.db import models
from django.db.models import Q

MAX_STAKE_MINOR = 10**15


class MinorSumField(models.DecimalField):
    """Hold a sum of money in whole minor units that may pass BIGINT; read back as an int."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["max_digits"] = 30
        kwargs["decimal_places"] = 0
        super().__init__(*args, **kwargs)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> int | None:
        return None if value is None else int(value)

    def to_python(self, value: Any) -> Any:
        decimal = super().to_python(value)
        return None if decimal is None else int(decimal)


def id_field(verbose_name: Any, max_length: int = 64, **kwargs: Any) -> models.CharField:
    """Declare an outside identifier, compared byte by byte: one plain index also finds its prefixes."""
    return models.CharField(verbose_name, max_length=max_length, db_collation="C", **kwargs)


def one_of(field: str, values: Any, name: str) -> models.CheckConstraint:
    """Constrain a text column to the values of an enum."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": [item.value for item in values]}), name=name)
