"""What may stand in the body of a request, and after the question mark."""

from rest_framework import serializers

from audit.models import IncidentStatus, RulingKind, RulingStatus
from tables.api.filters import DatedParameters, Parameters, Strict, TransactionFeed
from tables.api.inputs import MAX_BODY_BYTES, read_input

__all__ = ["MAX_BODY_BYTES", "read_input"]

MAX_ROUNDS = 5_000
PLACES = ("P1", "B1", "P2", "B2", "P3", "B3")
ALSO = ("replace_shoe", "reshuffle", "close_table")


class Report(Strict):
    """An incident as it is reported."""

    id = serializers.CharField(
        max_length=64,
        required=False,
        help_text="The reporter's own ID of this report. Sent again, it is answered as the first time and "
        "nothing is done; with another body it is refused.",
    )
    code = serializers.CharField(max_length=40, help_text="What happened, by the catalogue of the rulebook.")
    facts = serializers.DictField(
        child=serializers.JSONField(),
        default=dict,
        help_text="What changes the remedy, such as `face_seen`: true.",
    )
    round = serializers.CharField(max_length=60, required=False, help_text="The round's ID.")
    shoe = serializers.CharField(
        max_length=24, required=False, help_text="The shoe's ID, if no round is named."
    )
    note = serializers.CharField(
        max_length=2_000, default="", allow_blank=True, help_text="What people should know besides."
    )


class RulingFacts(Strict):
    """What exactly is to be done, as the kind of ruling wants it."""

    cards = serializers.DictField(
        child=serializers.CharField(max_length=3),
        required=False,
        help_text=f"For `correct`: every card of the coup, by place ({', '.join(PLACES)}).",
    )
    kinds = serializers.ListField(
        child=serializers.CharField(max_length=40),
        required=False,
        help_text="For `void_kinds`: the kinds of bet that are void.",
    )
    also = serializers.ListField(
        child=serializers.ChoiceField(ALSO), required=False, help_text="What is ordered besides."
    )


class RulingDraft(Strict):
    """A ruling that is thought of: on rounds by their IDs, or on a shoe, or on a table."""

    kind = serializers.ChoiceField([kind.value for kind in RulingKind], help_text="What is to be decided.")
    table = serializers.CharField(
        max_length=6, required=False, help_text="The table's code, if neither a round nor a shoe is named."
    )
    rounds = serializers.ListField(
        child=serializers.CharField(max_length=60),
        max_length=MAX_ROUNDS,
        default=list,
        help_text="IDs of rounds of one table.",
    )
    shoe = serializers.CharField(
        max_length=24,
        required=False,
        help_text="A shoe's ID. Without `rounds`, `void_range` and `void_shoe` take its rounds not void yet.",
    )
    first = serializers.IntegerField(
        min_value=1, max_value=999, default=1, help_text="Of those of the shoe: from this number."
    )
    last = serializers.IntegerField(
        min_value=1, max_value=999, default=999, help_text="Of those of the shoe: up to this number."
    )
    facts = RulingFacts(default=dict)
    incident = serializers.CharField(
        max_length=12, required=False, help_text="The incident that it decides, such as I-0457."
    )
    reinstates = serializers.CharField(
        max_length=12, required=False, help_text="For `reinstate`: the ruling that is to be out of force."
    )


class RulingRequest(RulingDraft):
    """A ruling that is asked for."""

    reason = serializers.CharField(max_length=2_000, help_text="Why.")


class Approval(Strict):
    """What an approver signs."""

    preview_hash = serializers.RegexField(
        r"^[0-9a-f]{64}$", help_text="The hash of the preview that was looked at."
    )
    reason = serializers.CharField(max_length=2_000, default="", allow_blank=True, help_text="Why.")


class Refusal(Strict):
    """Why a ruling is refused."""

    reason = serializers.CharField(max_length=2_000, help_text="Why.")


class Withdrawal(Strict):
    """Why a ruling is withdrawn by who asked for it."""

    reason = serializers.CharField(max_length=2_000, help_text="Why.")


class Nothing(Strict):
    """A body without a field; it may be left out."""


class IncidentList(DatedParameters):
    """Parameters of the list of incidents; the dates are those of the reports."""

    table = serializers.CharField(max_length=6, required=False, help_text="The table's code.")
    status = serializers.ChoiceField(
        [one.value for one in IncidentStatus], required=False, help_text="The incident's state."
    )


class RulingList(DatedParameters):
    """Parameters of the list of rulings; the dates are those of the requests."""

    table = serializers.CharField(max_length=6, required=False, help_text="The table's code.")
    status = serializers.ChoiceField(
        [one.value for one in RulingStatus], required=False, help_text="The ruling's state."
    )


class DecisionFeed(TransactionFeed):
    """Parameters of what a table was told, which goes forward."""


class NoticeList(Parameters):
    """Parameters of a list of notices."""
