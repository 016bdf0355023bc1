"""What may stand after the question mark: each parameter is declared, checked, and named when wrong."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any

from django.utils.dateparse import parse_date, parse_datetime
from rest_framework import serializers
from rest_framework.request import Request

from tables.models import RoundStatus, ShoeStatus, TableStatus
from tables.queries.lookup import LONGEST

DEFAULT_LIMIT = 50
MAX_LIMIT = 500


class MomentParameter(serializers.CharField):
    """A moment with its offset, or a bare date: the start of that day in UTC."""

    default_error_messages = {
        "moment": "Write a moment with its offset, as 2026-11-29T06:00:00+07:00, or a date (UTC)."
    }

    def to_internal_value(self, data: Any) -> Any:
        """Read the text.

        :raises ValidationError: if it is neither, or lies outside the years that UTC can write.
        """
        text = super().to_internal_value(data)
        try:
            day = parse_date(text)
            moment = datetime.combine(day, time(), UTC) if day else parse_datetime(text)
            if moment is None or moment.tzinfo is None:
                self.fail("moment")
            return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail("moment")


class Strict(serializers.Serializer):
    """Parameters of which one that is unknown, or given twice, is an error and not ignored."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Check that all names are known, then each value.

        :raises ValidationError: naming every parameter that is wrong.
        """
        known = [name for name, field in self.fields.items() if not field.read_only]
        wrong: dict[str, Any] = {}
        for name in data:
            if name not in known:
                message = f"There is no such parameter; there are {', '.join(known)}."
                wrong[name] = serializers.ErrorDetail(message, "unknown_parameter")
            elif hasattr(data, "getlist") and len(data.getlist(name)) > 1:
                wrong[name] = serializers.ErrorDetail("Give it once.", "given_twice")
        if wrong:
            raise serializers.ValidationError(wrong)
        return super().to_internal_value(data)


class Parameters(Strict):
    """Parameters of a list."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_LIMIT, default=DEFAULT_LIMIT, help_text="How many at most."
    )
    cursor = serializers.CharField(
        max_length=200, required=False, help_text="Where to go on: taken from `next` of the page before."
    )


class DatedParameters(Parameters):
    """Parameters of a list in order of time, newest first."""

    def get_fields(self) -> dict[str, serializers.Field]:
        """Add `from`, which Python does not take as a name, and `to`."""
        return super().get_fields() | {
            "from": MomentParameter(required=False, help_text="This moment or later."),
            "to": MomentParameter(required=False, help_text="Before this moment."),
        }


class TableList(Parameters):
    """Parameters of the list of tables."""

    status = serializers.ChoiceField(
        [one.value for one in TableStatus], required=False, help_text="The table's state."
    )


class ShoeList(DatedParameters):
    """Parameters of the list of shoes; the dates are those of the start."""

    table = serializers.CharField(max_length=6, required=False, help_text="The table's code.")
    status = serializers.ChoiceField(
        [one.value for one in ShoeStatus], required=False, help_text="The shoe's state."
    )
    card_set = serializers.CharField(max_length=64, required=False, help_text="What stands on the box.")


class RoundList(DatedParameters):
    """Parameters of the list of rounds; the dates are those of the opening of betting."""

    table = serializers.CharField(max_length=6, required=False, help_text="The table's code.")
    shoe = serializers.CharField(max_length=24, required=False, help_text="The shoe's ID.")
    card_set = serializers.CharField(max_length=64, required=False, help_text="The set of cards dealt from.")
    dealer = serializers.CharField(max_length=32, required=False, help_text="The dealer's reference.")
    status = serializers.ChoiceField(
        [one.value for one in RoundStatus], required=False, help_text="The round's state."
    )


class TransactionFeed(Parameters):
    """Parameters of the wallet's feed, which goes forward."""

    cursor = None  # type: ignore[assignment]
    after = serializers.RegexField(
        r"^(0|[1-9][0-9]{0,17})$",
        default="0",
        help_text="`after` of the answer before; 0 begins at the beginning.",
    )


class LookupText(Strict):
    """Parameter of the look-up."""

    q = serializers.CharField(
        max_length=LONGEST, help_text="A round ID, `B03 13:39`, or a platform's, bet's or player's ID."
    )


def read_parameters(kind: type[Strict], request: Request) -> Mapping[str, Any]:
    """Read and check what stands after the question mark.

    :raises ValidationError: naming every parameter that is wrong.
    """
    parameters = kind(data=request.query_params)
    parameters.is_valid(raise_exception=True)
    return parameters.validated_data
