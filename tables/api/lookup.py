"""One question for everything: a round ID, a table and a time, somebody else's ID."""

from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from tables.api import filters, serializers
from tables.api.base import ApiView
from tables.api.problems import forbidden
from tables.models import ApiKey
from tables.queries.lookup import Answer, Found, look_up
from tables.services.api_keys import Scope

#: What each kind of record wants: the scope of a key, or the permission of a person.
NEEDED = {
    Found.ROUND: (Scope.PLAY_READ, "tables.view_round"),
    Found.SHOE: (Scope.PLAY_READ, "tables.view_shoe"),
    Found.BET: (Scope.PLAY_READ, "tables.view_bet"),
    Found.PLAYER: (Scope.PLAY_READ, "tables.view_playeridentity"),
    Found.WALLET_TRANSACTION: (Scope.WALLET_READ, "tables.view_wallettransaction"),
}


class Lookup(ApiView):
    scopes, permission = (Scope.PLAY_READ, Scope.WALLET_READ), "tables.view_round"

    def get(self, request: Request) -> Response:
        """Answer what a text names; the app above this one says the rest about its round."""
        text = filters.read_parameters(filters.LookupText, request)["q"]
        if isinstance(request.auth, ApiKey) and request.auth.table_id is not None:
            raise forbidden("This key is for one table; looking up takes one for all.", "other-table")
        answer = look_up(text, kinds=self._kinds(), zone=ZoneInfo("UTC"), now=timezone.now())
        return Response(self.write_answer(answer))

    def write_answer(self, answer: Answer) -> Any:
        """Write out what was found."""
        return self.write(serializers.LookupBody, answer)

    def _kinds(self) -> frozenset[Found]:
        key, user = self.request.auth, self.request.user
        if isinstance(key, ApiKey):
            return frozenset(kind for kind, (scope, _) in NEEDED.items() if scope in key.scopes)
        return frozenset(kind for kind, (_, permission) in NEEDED.items() if user.has_perm(permission))
