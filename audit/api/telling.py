"""What tables were told, read and acknowledged by them; and what players were told."""

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import examples, inputs, outputs
from audit.api.named import table_in_path
from audit.api.schema import DECISION, REFERENCE
from audit.models import Notice, TableDecision
from audit.queries.decisions import decisions_after
from audit.services.delivering import acknowledge_decision
from tables.api.authentication import KeyAuthentication
from tables.api.base import ApiView
from tables.api.filters import read_parameters
from tables.api.problems import unknown
from tables.api.schema import CODE, ROUND_ID, page_of, problems
from tables.api.views import RoundView
from tables.models import ApiKey, PlayerIdentity
from tables.services.actors import Actor
from tables.services.api_keys import Scope

NOTICE_PAGE = page_of(outputs.NoticeBody)
HEARING = (Scope.FEED_WRITE, Scope.DECISIONS_READ)


class TableDecisions(ApiView):
    scopes, permission = HEARING, "audit.view_tabledecision"

    @extend_schema(
        operation_id="read_decisions",
        summary="Hear what was decided about a table",
        parameters=[CODE, inputs.DecisionFeed],
        responses={200: outputs.DecisionsBody, **problems(400, 401, 403, 404)},
        examples=examples.shown(examples.DECISIONS),
    )
    def get(self, request: Request, code: str) -> Response:
        """Decisions that come after the number given, in an order in which none is ever missed.

        Send `after` of the last answer to go on, and acknowledge each that was heard. A table with a webhook
        is called with the same as well, in order, until it answers 2xx or acknowledges.
        """
        parameters = read_parameters(inputs.DecisionFeed, request)
        table = table_in_path(self, code)
        rows, after, has_more = decisions_after(table.pk, int(parameters["after"]), parameters["limit"])
        items = self.write(outputs.DecisionBody, rows, many=True)
        return Response({"items": items, "after": str(after), "has_more": has_more})


class AcknowledgeDecision(ApiView):
    """A table says that it has heard. People do not say it for a table."""

    authentication_classes = [KeyAuthentication]
    scopes = HEARING

    @extend_schema(
        operation_id="acknowledge_decision",
        summary="Acknowledge a decision",
        request=inputs.Nothing,
        parameters=[CODE, DECISION],
        responses={200: outputs.DecisionBody, **problems(400, 401, 403, 404, 413, 415)},
        examples=examples.shown(examples.DECISION),
    )
    def post(self, request: Request, code: str, decision_id: int) -> Response:
        """An acknowledgement: the table has heard and will obey. A second one changes nothing."""
        inputs.read_input(inputs.Nothing, request)
        table = table_in_path(self, code)
        if not TableDecision.objects.filter(table=table, pk=decision_id).exists():
            raise unknown(f"{table.code} was told no decision {str(decision_id)[:20]}.")
        key = request.auth
        prefix = key.prefix if isinstance(key, ApiKey) else ""
        decision = acknowledge_decision(
            decision_id=decision_id, actor=Actor.of_key(prefix), at=timezone.now()
        )
        return Response(self.write(outputs.DecisionBody, decision))


class PlayerNotices(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "audit.view_notice"

    @extend_schema(
        operation_id="list_notices_of_player",
        summary="List the notices to a player",
        parameters=[REFERENCE, inputs.NoticeList],
        responses={200: NOTICE_PAGE, **problems(400, 401, 403, 404)},
        examples=examples.shown_page(examples.NOTICE),
    )
    def get(self, request: Request, reference: str) -> Response:
        """What a player was told, in English and Thai, newest first."""
        parameters = read_parameters(inputs.NoticeList, request)
        known = (
            PlayerIdentity.objects.filter(reference=reference).first() if reference.isprintable() else None
        )
        if known is None:
            raise unknown(f"There is no player {reference[:64]!r}.")
        found = _notices().filter(self.own("round__table"), player=known.player_id)
        return self.page(outputs.NoticeBody, found, ("-id",), parameters)


class RoundNotices(RoundView):
    scopes, permission = (Scope.PLAY_READ,), "audit.view_notice"

    @extend_schema(
        operation_id="list_notices_of_round",
        summary="List the notices about a round",
        parameters=[ROUND_ID, inputs.NoticeList],
        responses={200: NOTICE_PAGE, **problems(400, 401, 403, 404)},
        examples=examples.shown_page(examples.NOTICE),
    )
    def get(self, request: Request, round_id: str) -> Response:
        """What the players of a round were told, in the order written."""
        parameters = read_parameters(inputs.NoticeList, request)
        found = _notices().filter(round=self.find_round(round_id))
        return self.page(outputs.NoticeBody, found, ("id",), parameters)


def _notices() -> QuerySet[Notice]:
    return Notice.objects.select_related("round", "ruling", "player__identity")
