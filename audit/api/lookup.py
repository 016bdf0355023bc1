"""The look-up's whole answer: what a text names, and everything about the round it leads to."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import examples, outputs
from audit.api.complaint_bodies import ComplaintBody, VideoHoldBody
from audit.queries.lookup_answer import about_round, players_shown, round_of
from audit.services.looks import look_at_players
from tables.api import filters
from tables.api.lookup import Lookup as PlainLookup
from tables.api.schema import problems
from tables.api.serializers import LookupBody, RoundDetailBody, SettlementBody
from tables.models import ApiKey
from tables.queries.lookup import Answer
from tables.services.actors import Actor
from tables.services.api_keys import Scope

#: What each part of the answer wants: the scope of a key, or the permission of a person.
PARTS = {
    "settlements": (Scope.PLAY_READ, "tables.view_settlement"),
    "incidents": (Scope.PLAY_READ, "audit.view_incident"),
    "rulings": (Scope.PLAY_READ, "audit.view_ruling"),
    "notices": (Scope.PLAY_READ, "audit.view_notice"),
    "complaints": (Scope.COMPLAINT_READ, "audit.view_complaint"),
    "video": (Scope.PLAY_READ, "audit.view_videohold"),
}
HIDDEN = "null where the key's scopes or the role do not show it."


class VideoBody(serializers.Serializer):
    """Where the round is on video, and the holds on it, the newest first."""

    camera = serializers.CharField()
    from_at = serializers.DateTimeField()
    to_at = serializers.DateTimeField(allow_null=True, help_text="null while the round is played.")
    expires_at = serializers.DateTimeField(help_text="Until when it is kept without a hold.")
    holds = VideoHoldBody(many=True)


class AboutRoundBody(serializers.Serializer):
    """A round as players saw it, and everything that was questioned and decided about it."""

    round = RoundDetailBody()
    settlements = SettlementBody(many=True, allow_null=True, help_text=HIDDEN)
    incidents = outputs.IncidentBody(many=True, allow_null=True, help_text=HIDDEN)
    rulings = outputs.RulingBody(many=True, allow_null=True, help_text=HIDDEN)
    notices = outputs.NoticeBody(many=True, allow_null=True, help_text=HIDDEN)
    complaints = ComplaintBody(many=True, allow_null=True, help_text=HIDDEN)
    video = VideoBody(allow_null=True, help_text=HIDDEN)


class WholeLookupBody(LookupBody):
    about = AboutRoundBody(
        allow_null=True, help_text="The round that the only record found is, or belongs to."
    )


class Lookup(PlainLookup):
    @extend_schema(
        operation_id="look_up",
        summary="Look up what an ID names",
        parameters=[filters.LookupText],
        responses={200: WholeLookupBody, **problems(400, 401, 403)},
        examples=examples.shown(examples.WHOLE_LOOKUP),
    )
    def get(self, request: Request) -> Response:
        """What a text names: a round ID, a table and a time, or the ID of a bet, a player or a wallet's key.

        Where it leads to one round, all of it comes along: the cards, the revisions, incidents, rulings,
        notices, complaints, the video and the holds on it. A round ID with a slip in it brings the rounds
        that are probably meant. Players shown are written into the journal. A key for one table cannot ask.
        """
        return super().get(request)

    def write_answer(self, answer: Answer) -> Any:
        """Write what was found, and all of the round it leads to."""
        found = round_of(answer)
        about = about_round(found) if found is not None else None
        key = self.request.auth
        actor = Actor.of_key(key.prefix) if isinstance(key, ApiKey) else Actor.of_user(self.request.user)
        look_at_players(
            players_shown(answer, about), way="lookup", reason="lookup", actor=actor, at=timezone.now()
        )
        body = super().write_answer(answer)
        if about is None:
            return {**body, "about": None}
        video = {**about.video._asdict(), "holds": about.holds}
        parts: dict[str, Any] = {
            "round": about.round,
            **{name: getattr(about, name) for name in PARTS if name != "video"},
            "video": video,
        }
        shown = self.write(AboutRoundBody, parts)
        return {**body, "about": {name: part if self._may(name) else None for name, part in shown.items()}}

    def _may(self, part: str) -> bool:
        if part not in PARTS:
            return True
        scope, permission = PARTS[part]
        key = self.request.auth
        return scope in key.scopes if isinstance(key, ApiKey) else self.request.user.has_perm(permission)
