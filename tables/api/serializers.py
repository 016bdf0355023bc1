"""How a row looks from outside. Money is in minor units of the table's currency; times are UTC."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tables.api.schema import ProblemBody
from tables.models import (
    Bet,
    BetStatus,
    Dealer,
    DeliveryStatus,
    GameTable,
    LineResult,
    Player,
    Round,
    RoundStatus,
    Rulebook,
    Settlement,
    SettlementLine,
    Shoe,
    ShoeStatus,
    TableState,
    TableStatus,
    TransactionKind,
    WalletTransaction,
)
from tables.queries.coups import Dealing
from tables.queries.lookup import Found, Hit, Slip
from tables.queries.people import reference_of
from tables.rules.drawing import Outcome
from tables.rules.sentences import sentence


def _one_of(values: Any, **kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField([value.value for value in values], **kwargs)


class SumField(serializers.IntegerField):
    """A sum in minor units; it may pass 2^53, so a client reads it as a whole number and not as a float."""


class RulebookVersion(serializers.ModelSerializer):
    class Meta:
        model = Rulebook
        fields = ("code", "version")


class DealerBody(serializers.ModelSerializer):
    class Meta:
        model = Dealer
        fields = ("reference", "name")


class PlayerBody(serializers.ModelSerializer):
    """A player: our number for ever, and its reference, unless that was erased or is not yours to see."""

    number = serializers.IntegerField(source="pk")
    reference = serializers.SerializerMethodField()

    class Meta:
        model = Player
        fields = ("number", "reference")

    def get_reference(self, player: Player) -> str | None:
        """Return the reference outside."""
        if not self.context.get("may_see_references"):
            return None
        return reference_of(player) if getattr(player, "identity", None) else None


class TableBody(serializers.ModelSerializer):
    status = _one_of(TableStatus)
    rulebook = RulebookVersion()
    min_stake_minor = SumField()
    max_stake_minor = SumField()
    bet_limits = serializers.DictField(
        child=serializers.JSONField(), help_text="Limits of single kinds of bet, by kind."
    )

    class Meta:
        model = GameTable
        fields = (
            "code", "name", "status", "currency", "zone", "gaming_day_starts_hour", "is_animation",
            "rulebook", "min_stake_minor", "max_stake_minor", "bet_limits",
        )  # fmt: skip


class GapBody(serializers.Serializer):
    first_seq = serializers.IntegerField(help_text="The first number that is missing, and the next expected.")
    seen_seq = serializers.IntegerField(help_text="The highest number seen beyond it.")


class FeedBody(serializers.ModelSerializer):
    """Where a table's feed has got to."""

    table = serializers.CharField(source="table.code")
    status = _one_of(TableStatus, source="table.status")
    next_seq = serializers.IntegerField(help_text="The sequence number that is expected next.")
    gap = serializers.SerializerMethodField()
    dealer = DealerBody(allow_null=True)
    shoe = serializers.CharField(source="shoe.public_id", allow_null=True)
    round = serializers.CharField(source="round.public_id", allow_null=True)

    class Meta:
        model = TableState
        fields = (
            "table", "status", "next_seq", "gap", "last_event_at", "last_heartbeat_at", "dealer", "shoe",
            "round",
        )  # fmt: skip

    @extend_schema_field(GapBody(allow_null=True))
    def get_gap(self, state: TableState) -> dict[str, int] | None:
        """Return what is missing, or None."""
        if state.gap_seen_seq is None or state.gap_seen_seq < state.next_seq:
            return None
        return {"first_seq": state.next_seq, "seen_seq": state.gap_seen_seq}


class ShoeBody(serializers.ModelSerializer):
    id = serializers.CharField(source="public_id")
    table = serializers.CharField(source="table.code")
    rulebook = RulebookVersion()
    status = _one_of(ShoeStatus)

    class Meta:
        model = Shoe
        fields = (
            "id", "platform_id", "table", "rulebook", "gaming_date", "number", "decks",
            "card_set", "status", "started_at", "ended_at", "end_reason", "cut_from_back", "burn_due",
            "burn_done", "cards_out", "blue_card_at", "blue_card_after", "last_round_number",
        )  # fmt: skip


class RoundBody(serializers.ModelSerializer):
    id = serializers.CharField(source="public_id")
    table = serializers.CharField(source="table.code")
    shoe = serializers.CharField(source="shoe.public_id")
    rulebook = RulebookVersion()
    dealer = DealerBody(allow_null=True)
    status = _one_of(RoundStatus)
    outcome = _one_of(Outcome, allow_null=True)

    class Meta:
        model = Round
        fields = (
            "id", "platform_id", "table", "shoe", "number", "window_number", "rulebook", "dealer", "status",
            "betting_opened_at", "betting_closed_at", "resulted_at", "settled_at", "outcome", "player_total",
            "banker_total",
        )  # fmt: skip


class CardBody(serializers.Serializer):
    place = serializers.CharField(source="place.value")
    card = serializers.CharField(source="face", allow_null=True, help_text="null when nobody saw its face.")
    position = serializers.IntegerField(help_text="Its number among the cards that left the shoe.")
    source = serializers.CharField()  # type: ignore[assignment]
    at = serializers.DateTimeField()
    was = serializers.CharField(allow_null=True, help_text="The face read here before a correction.")


class DealBody(serializers.Serializer):
    number = serializers.IntegerField()
    is_live = serializers.BooleanField(help_text="false when a re-deal killed it.")
    started_at = serializers.DateTimeField()
    died_at = serializers.DateTimeField(allow_null=True)
    cards = CardBody(many=True)
    due = serializers.CharField(source="due.value", allow_null=True, help_text="Where the next card goes.")
    problem = serializers.CharField(
        allow_null=True, help_text="Which rule of drawing the cards break, where they break one."
    )
    reasons = serializers.SerializerMethodField(help_text="Why each card was or was not drawn.")

    def get_reasons(self, dealing: Dealing) -> list[str]:
        """Return a sentence for each line of the drawing table that was used."""
        return [sentence(reason, "en") for reason in dealing.reasons]


class FindingBody(serializers.Serializer):
    code = serializers.CharField()
    may_change_money = serializers.BooleanField()
    data = serializers.JSONField()  # type: ignore[assignment]
    at = serializers.DateTimeField()


class HoldBody(serializers.Serializer):
    reason = serializers.CharField()
    placed_at = serializers.DateTimeField()


class RoundDetailBody(RoundBody):
    """A round with its cards, what was found wrong with it, and what keeps it from being settled."""

    claimed = serializers.JSONField(allow_null=True, help_text="What the table itself says came out.")
    deals = DealBody(many=True, source="deals_read")
    findings = FindingBody(many=True, source="findings_read")
    holds = HoldBody(
        many=True,
        source="holds_read",
        help_text="Those still open; while there is one the round is not settled.",
    )

    class Meta(RoundBody.Meta):
        fields = (  # type: ignore[assignment]
            *RoundBody.Meta.fields, "claimed", "deals", "findings", "holds",
        )  # fmt: skip


class BetResultBody(serializers.ModelSerializer):
    """What the newest revision gave the bet."""

    revision = serializers.IntegerField(source="settlement.revision")
    result = _one_of(LineResult)
    returned_minor = SumField(help_text="The stake included.")

    class Meta:
        model = SettlementLine
        fields = ("revision", "result", "returned_minor")


class BetBody(serializers.ModelSerializer):
    id = serializers.CharField(source="platform_bet_id", help_text="The platform's ID of the bet.")
    round = serializers.CharField(source="round.public_id")
    player = PlayerBody()
    bet = serializers.CharField(source="kind")
    stake_minor = SumField()
    status = _one_of(BetStatus)
    refusal = serializers.CharField(help_text="Why it was refused; empty when it was not.")
    settled = BetResultBody(allow_null=True, source="newest_line")

    class Meta:
        model = Bet
        fields = (
            "id", "round", "player", "bet", "phase", "stake_minor", "odds_offered", "odds_shown", "status",
            "refusal", "placed_at", "settled",
        )  # fmt: skip


class SettlementBody(serializers.ModelSerializer):
    id = serializers.IntegerField()
    round = serializers.CharField(source="round.public_id")
    deal = serializers.IntegerField(source="deal.number", allow_null=True)
    rulebook = RulebookVersion()
    verdicts = serializers.JSONField(help_text="What each kind of bet came to.")
    stakes_minor = SumField()
    returned_minor = SumField()
    kept_minor = SumField(help_text="Stakes less what was returned.")
    moved_minor = SumField(help_text="What this revision moved beyond the one before.")

    class Meta:
        model = Settlement
        fields = (
            "id", "round", "revision", "deal", "rulebook", "authority", "outcome", "verdicts", "bets_count",
            "players_count", "stakes_minor", "returned_minor", "kept_minor", "moved_minor", "created_at",
        )  # fmt: skip


class LineBody(serializers.ModelSerializer):
    """What one bet got by one revision."""

    bet = serializers.CharField(source="bet.platform_bet_id", help_text="The platform's ID of the bet.")
    player = PlayerBody(source="bet.player")
    kind = serializers.CharField(source="bet.kind")
    phase = serializers.CharField(source="bet.phase")
    stake_minor = SumField(source="bet.stake_minor")
    result = _one_of(LineResult)
    returned_minor = SumField(help_text="The stake included.")
    moved_minor = SumField()

    class Meta:
        model = SettlementLine
        fields = ("bet", "player", "kind", "phase", "stake_minor", "result", "returned_minor", "moved_minor")


class DeliveryBody(serializers.Serializer):
    status = _one_of(DeliveryStatus)
    attempts = serializers.IntegerField()
    answered_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.CharField()


class TransactionBody(serializers.ModelSerializer):
    """What one revision moves for one player."""

    id = serializers.IntegerField()
    key = serializers.CharField(help_text="The idempotency key the wallet gets.")
    round = serializers.CharField(source="settlement.round.public_id")
    revision = serializers.IntegerField(source="settlement.revision")
    player = PlayerBody()
    kind = _one_of(TransactionKind)
    amount_minor = SumField(help_text="Above zero to the player, below zero from the player.")
    bets = serializers.ListField(child=serializers.CharField(), source="platform_bet_ids")
    delivery = DeliveryBody(allow_null=True)
    owed_minor = SumField(read_only=True, help_text="What the wallet could not take back, 0 for none.")

    class Meta:
        model = WalletTransaction
        fields = (
            "id", "key", "round", "revision", "player", "kind", "amount_minor", "currency", "bets",
            "created_at", "delivery", "owed_minor",
        )  # fmt: skip


class TransactionsBody(serializers.Serializer):
    items = TransactionBody(many=True)
    after = serializers.CharField(help_text="What to send as `after` next time, also when nothing came now.")
    has_more = serializers.BooleanField()


class HitBody(serializers.Serializer):
    kind = _one_of(Found)
    label = serializers.CharField(help_text="Its ID.")  # type: ignore[assignment]
    is_exact = serializers.BooleanField(help_text="false when the text is only how the ID begins.")
    address = serializers.SerializerMethodField(help_text="Where to read it; null where it has no address.")

    def get_address(self, hit: Hit) -> str | None:
        """Return the path of the view that shows it."""
        names = {Found.ROUND: "api:round", Found.SHOE: "api:shoe", Found.BET: "api:bet"}
        return reverse(names[hit.kind], args=[hit.label]) if hit.kind in names else None


class LookupBody(serializers.Serializer):
    """What a text names. `slip` tells a mistyped round ID from one that names no round."""

    hits = HitBody(many=True)
    slip = _one_of(Slip, allow_null=True)
    suggestions = HitBody(many=True, help_text="Rounds that exist, one slip away.")
    message = serializers.CharField(help_text="What is wrong with the text, if anything.")


class AnyEventBody(serializers.Serializer):
    """An event of a table; /api/v1/schema/feed-event has the JSON Schema of every type."""

    id = serializers.CharField(help_text="The table's own ID of the event.")
    table = serializers.CharField(help_text="The table's code.")
    seq = serializers.IntegerField(help_text="1, 2, 3 … without a gap.")
    at = serializers.DateTimeField(help_text="The moment at the table, with its offset.")
    type = serializers.CharField(help_text="What happened; more fields follow from it.")
    supersedes = serializers.CharField(
        required=False, help_text="The refused event that this one puts right."
    )


class RefusedBetBody(serializers.Serializer):
    id = serializers.CharField(help_text="The platform's ID of the bet.")
    reason = serializers.CharField(help_text="Why it was not taken; its stake is the platform's to return.")


class EventAnswerBody(serializers.Serializer):
    id = serializers.CharField(allow_null=True, help_text="null where none could be read.")
    seq = serializers.IntegerField(allow_null=True)
    status = serializers.ChoiceField(["accepted", "repeat", "refused", "conflict", "gap", "unreadable"])
    error = serializers.CharField(allow_null=True, help_text="`field: what is wrong (rule)`.")
    refused_bets = RefusedBetBody(many=True)
    expected_seq = serializers.IntegerField(allow_null=True)


class FeedAnswerBody(serializers.Serializer):
    """The answer to each event, in the order sent."""

    events = EventAnswerBody(many=True)
    next_seq = serializers.IntegerField(help_text="The sequence number to go on with.")


class FeedProblemBody(ProblemBody):
    """A problem that also says what became of each event."""

    events = EventAnswerBody(many=True)
    next_seq = serializers.IntegerField()
    expected_seq = serializers.IntegerField()
