"""Whatever names players to somebody, a page, a file or an answer of the API, is written down as a look."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from django.db import models
from django.http import HttpRequest, HttpResponseBase

from audit.services.looks import look_at_list
from tables.models import ApiKey
from tables.queries.people import noting_named
from tables.services.actors import Actor

#: Parts of an address that would name a player in an entry, which can never be erased.
NAMES_PLAYERS: Final = frozenset({"reference"})


class LooksMiddleware:
    """Writes one entry for the players that an answer names, unless what answered wrote its own.

    Where the entry cannot be written, the answer is not given.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with noting_named() as naming:
            response = self.get_response(request)
        untold = naming.untold
        if untold:
            actor, viewer = _who_looked(request)
            at = datetime.now(UTC)
            way, reason = _way(request), _reason(request)
            look_at_list(untold, viewer=viewer, way=way, reason=reason, actor=actor, at=at)
        return response


def _who_looked(request: HttpRequest) -> tuple[Actor, models.Model]:
    """Return who looked, and the account or the key."""
    key = getattr(request, "auth", None)
    if isinstance(key, ApiKey):
        return Actor.of_key(key.prefix), key
    return Actor.of_user(request.user), request.user  # type: ignore[return-value]


def _way(request: HttpRequest) -> str:
    """Name the page or the operation, as its address is called."""
    return request.resolver_match.view_name if request.resolver_match else ""


def _reason(request: HttpRequest) -> str:
    """Name what was looked at: the record of the address, or the list itself."""
    parts = request.resolver_match.kwargs if request.resolver_match else {}
    named = [str(value) for name, value in parts.items() if name not in NAMES_PLAYERS]
    return "/".join(named)[:64] or _way(request)
