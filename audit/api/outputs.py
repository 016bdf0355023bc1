"""How incidents, rulings and what was told look from outside. Money is in minor units; times are UTC."""

from typing import Any

from rest_framework import serializers

from audit.models import (
    DecisionKind,
    Incident,
    IncidentSource,
    IncidentStatus,
    Notice,
    Ruling,
    RulingKind,
    RulingRound,
    RulingRoundStatus,
    RulingStatus,
)
from audit.queries.decisions import decision_body
from tables.api.serializers import PlayerBody, RulebookVersion, SumField


def _one_of(values: Any, **kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField([value.value for value in values], **kwargs)


class PersonField(serializers.CharField):
    """An account, by the name people know."""

    def to_representation(self, value: Any) -> str:
        """Return the full name, or the log-in where there is none."""
        return value.get_full_name() or value.get_username()


class IncidentBody(serializers.ModelSerializer):
    table = serializers.CharField(source="table.code")
    shoe = serializers.CharField(source="shoe.public_id", allow_null=True)
    round = serializers.CharField(source="round.public_id", allow_null=True)
    rulebook = RulebookVersion()
    facts = serializers.DictField(child=serializers.JSONField())
    remedies = serializers.ListField(
        child=serializers.CharField(), help_text="What the rulebook orders under these facts."
    )
    source = _one_of(  # type: ignore[assignment]
        IncidentSource, help_text="Who found it."
    )
    status = _one_of(IncidentStatus)
    is_holding = serializers.SerializerMethodField(
        help_text="true while it keeps its round from being settled."
    )
    reported_by = PersonField(allow_null=True, help_text="null when no person reported it.")

    class Meta:
        model = Incident
        fields = (
            "number", "table", "shoe", "round", "rulebook", "code", "facts", "remedies", "passage", "note",
            "source", "status", "is_holding", "reported_by", "reported_at", "escalated_at", "closed_at",
        )  # fmt: skip

    def get_is_holding(self, incident: Incident) -> bool:
        """Say whether its hold is open."""
        return incident.hold is not None and incident.hold.lifted_at is None


class RulingBody(serializers.ModelSerializer):
    table = serializers.CharField(source="table.code")
    shoe = serializers.CharField(source="shoe.public_id", allow_null=True)
    incident = serializers.CharField(source="incident.number", allow_null=True)
    reinstates = serializers.CharField(source="reinstates.number", allow_null=True)
    kind = _one_of(RulingKind)
    facts = serializers.DictField(child=serializers.JSONField(), help_text="What exactly is done.")
    status = _one_of(RulingStatus)
    requested_by = PersonField()
    decided_by = PersonField(allow_null=True)
    given_minor = SumField(help_text="What players get.")
    taken_minor = SumField(help_text="What is taken back from players.")

    class Meta:
        model = Ruling
        fields = (
            "number", "uuid", "kind", "table", "shoe", "incident", "reinstates", "facts", "passage",
            "is_proposed_by_rule", "reason", "status", "requested_by", "requested_at", "expires_at",
            "preview_hash", "rounds_count", "bets_count", "players_count", "given_minor", "taken_minor",
            "decided_by", "decided_at", "decision_reason", "wants_stop", "outcome_note", "started_at",
            "finished_at",
        )  # fmt: skip


class RulingRoundBody(serializers.ModelSerializer):
    round = serializers.CharField(source="round.public_id")
    status = _one_of(RulingRoundStatus)
    given_minor = SumField()
    taken_minor = SumField()
    before_minor = SumField(help_text="What the round returned before.")
    after_minor = SumField(help_text="What it returns under the ruling.")

    class Meta:
        model = RulingRound
        fields = (
            "round", "base_revision", "status", "is_in_force", "bets_count", "given_minor", "taken_minor",
            "before_minor", "after_minor", "applied_at", "failures", "last_error",
        )  # fmt: skip


class ProgressBody(serializers.Serializer):
    rounds = serializers.IntegerField()
    rounds_done = serializers.IntegerField()
    bets = serializers.IntegerField()
    bets_done = serializers.IntegerField()
    given_minor = SumField(help_text="What was given so far.")
    taken_minor = SumField(help_text="What was taken back so far.")


class DeliveryStateBody(serializers.Serializer):
    """How far the table is with hearing it."""

    attempts = serializers.IntegerField(help_text="How often the table's webhook was called with it.")
    due_at = serializers.DateTimeField(allow_null=True, help_text="When it is called again.")
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    last_error = serializers.CharField()


class DecisionBody(serializers.Serializer):
    """What a table is told. Without `delivery` this is also the body of the call to the table's webhook."""

    id = serializers.IntegerField()
    table = serializers.CharField()
    kind = _one_of(DecisionKind)
    round = serializers.CharField(allow_null=True)
    platform_round = serializers.CharField(allow_null=True, help_text="The platform's own ID of the round.")
    shoe = serializers.CharField(allow_null=True)
    platform_shoe = serializers.CharField(allow_null=True, help_text="The platform's own ID of the shoe.")
    ruling = serializers.CharField(allow_null=True)
    data = serializers.DictField(  # type: ignore[assignment]
        child=serializers.JSONField(),
        help_text="`incident`, `kinds`, `cards` by place, `deal` or `reason`, as the kind has it.",
    )
    decided_at = serializers.DateTimeField()
    delivery = DeliveryStateBody(source="*")

    def to_representation(self, instance: Any) -> Any:
        """Write a decision as the table's webhook gets it, and how far its delivery is."""
        delivery = DeliveryStateBody(instance).data
        decided_at = serializers.DateTimeField().to_representation(instance.created_at)
        return decision_body(instance) | {"decided_at": decided_at, "delivery": delivery}


class DecisionsBody(serializers.Serializer):
    items = DecisionBody(many=True)
    after = serializers.CharField(help_text="What to send as `after` next time, also when nothing came now.")
    has_more = serializers.BooleanField()


class RulingDetailBody(RulingBody):
    """A ruling with its rounds, how far it is, and what the table was told."""

    progress = ProgressBody()
    rounds = RulingRoundBody(many=True, source="rounds_read")
    decisions = DecisionBody(many=True, source="decisions_read")

    class Meta(RulingBody.Meta):
        fields = (*RulingBody.Meta.fields, "progress", "rounds", "decisions")  # type: ignore[assignment]


class KindMoveBody(serializers.Serializer):
    kind = serializers.CharField()
    bets = serializers.IntegerField()
    before_minor = SumField()
    after_minor = SumField()
    moved_minor = SumField()


class PlayerMoveBody(serializers.Serializer):
    player = PlayerBody()
    before_minor = SumField()
    after_minor = SumField()
    moved_minor = SumField()


class RoundPreviewBody(serializers.Serializer):
    round = serializers.CharField(source="round.public_id")
    base_revision = serializers.IntegerField(help_text="The newest revision now; 0 if it was never settled.")
    bets = serializers.IntegerField(source="totals.bets")
    bets_changed = serializers.IntegerField(source="totals.bets_changed")
    players = serializers.IntegerField(source="totals.players")
    before_minor = SumField(source="totals.before_minor", help_text="What it returns now.")
    after_minor = SumField(source="totals.after_minor", help_text="What it would return.")
    given_minor = SumField(source="totals.given_minor")
    taken_minor = SumField(source="totals.taken_minor")


class PreviewBody(serializers.Serializer):
    """What a ruling would do as things are now. Where no money moves at once the sums are 0."""

    hash = serializers.CharField(help_text="What an approver signs; the same preview has the same hash.")
    rounds = RoundPreviewBody(many=True)
    bets = serializers.IntegerField()
    players = serializers.IntegerField(help_text="One who played in several rounds counts in each.")
    given_minor = SumField()
    taken_minor = SumField()
    by_kind = KindMoveBody(many=True, help_text="What moves in all rounds, by kind of bet.")
    by_player = PlayerMoveBody(
        many=True, help_text="What moves for each player in all rounds, the largest first, 500 at most."
    )


class NoticeBody(serializers.ModelSerializer):
    """What one player is told about one round."""

    round = serializers.CharField(source="round.public_id")
    ruling = serializers.CharField(source="ruling.number")
    player = PlayerBody()
    moved_minor = SumField(help_text="What moved for the player.")

    class Meta:
        model = Notice
        fields = ("round", "ruling", "player", "text_en", "text_th", "moved_minor", "created_at")
