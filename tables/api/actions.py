"""What people do to a table, signed in: open it, close it, set its limits. Each calls one service."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tables.api import examples, inputs, serializers
from tables.api.base import ApiView
from tables.api.problems import unknown
from tables.api.schema import CODE, Example, problems
from tables.models import GameTable
from tables.services.actors import Actor
from tables.services.opening import PERMISSION as OPEN
from tables.services.opening import close_by_hand, open_by_hand
from tables.services.setup import SET_UP, change_table_limits

_ALREADY: Example = (
    "not-possible",
    "Not possible now",
    "table: B03 is open already (table/status)",
    [{"field": "table", "rule": "table/status", "message": "B03 is open already"}],
    {},
)
ANSWERS = {200: serializers.TableBody, **problems(400, 401, 403, 404, 409, 413, 415, conflict=_ALREADY)}
SHOWN = examples.shown(examples.TABLE)


class TableAction(ApiView):
    """What actions on one table share: only people, who are signed in, do them."""

    permission = OPEN

    def find_table(self, code: str) -> GameTable:
        """Find the table that the path names.

        :raises Problem: 404 if there is none.
        """
        found = GameTable.objects.select_related("rulebook")
        table = found.filter(code=code).first() if code.isprintable() else None
        if table is None:
            raise unknown(f"There is no table {code[:20]!r}.")
        return table

    def answer(self, table: GameTable) -> Response:
        """Answer with the table as it is now."""
        return Response(self.write(serializers.TableBody, table))


class OpenTable(TableAction):
    @extend_schema(
        operation_id="open_table",
        summary="Open a table",
        request=inputs.Reason,
        parameters=[CODE],
        responses=ANSWERS,
        examples=SHOWN,
    )
    def post(self, request: Request, code: str) -> Response:
        """A table is opened for play by a person, for one whose feed does not say it."""
        fields, table = inputs.read_input(inputs.Reason, request), self.find_table(code)
        actor = Actor.of_user(request.user)
        return self.answer(open_by_hand(table=table, reason=fields["reason"], actor=actor, at=timezone.now()))


class CloseTable(TableAction):
    @extend_schema(
        operation_id="close_table",
        summary="Close a table",
        request=inputs.Closing,
        parameters=[CODE],
        responses=ANSWERS,
        examples=SHOWN,
    )
    def post(self, request: Request, code: str) -> Response:
        """No further round begins. The one in play is played out, or held if a system failed."""
        fields, table = inputs.read_input(inputs.Closing, request), self.find_table(code)
        actor = Actor.of_user(request.user)
        return self.answer(close_by_hand(table=table, **fields, actor=actor, at=timezone.now()))


class ChangeLimits(TableAction):
    permission = SET_UP

    @extend_schema(
        operation_id="change_limits",
        summary="Set the limits of a table",
        request=inputs.Limits,
        parameters=[CODE],
        responses=ANSWERS,
        examples=SHOWN,
    )
    def post(self, request: Request, code: str) -> Response:
        """Lowest and highest stake of every bet, of single kinds of bet, or both, from now on."""
        fields, table = inputs.read_input(inputs.Limits, request), self.find_table(code)
        default, bets = fields.get("default"), fields.get("bets")
        return self.answer(
            change_table_limits(
                table=table,
                limits=_pair(default) if default is not None else None,
                bets={kind: _pair(limits) for kind, limits in bets.items()} if bets is not None else None,
                actor=Actor.of_user(request.user),
                at=timezone.now(),
            )
        )


def _pair(limits: Mapping[str, Any]) -> tuple[int, int]:
    return limits["min"], limits["max"]
