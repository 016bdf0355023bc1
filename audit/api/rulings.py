"""Rulings: thought of, asked for, decided, stopped and resumed by people; read by machines as well."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, cast

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import examples, inputs, outputs
from audit.api.named import draft_in_body, incident_in_body, ruling_in_path, rulings, with_details
from audit.api.schema import RULING, ruling_problems
from audit.models import Ruling
from audit.queries.previews import Preview
from audit.queries.ruling_money import money_of_parts
from audit.services.applying import resume_ruling, stop_ruling
from audit.services.asking import preview_ruling
from audit.services.rulings import (
    approve_ruling,
    is_proposed,
    refuse_ruling,
    request_ruling,
    withdraw_ruling,
)
from tables.api.base import ApiView
from tables.api.filters import read_parameters
from tables.api.narrowing import narrowed
from tables.api.schema import page_of, problems
from tables.models import Player
from tables.services.actors import Actor
from tables.services.api_keys import Scope

MOST_PLAYERS = 500
REQUEST, APPROVE = "audit.request_ruling", "audit.approve_ruling"


class Rulings(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "audit.view_ruling"

    def needed(self, method: str) -> tuple[tuple[str, ...], str | None]:
        """Let machines read, and only people ask for a ruling."""
        return ((), REQUEST) if method == "POST" else super().needed(method)

    @extend_schema(
        operation_id="list_rulings",
        summary="List rulings",
        parameters=[inputs.RulingList],
        responses={200: page_of(outputs.RulingBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.RULING),
    )
    def get(self, request: Request) -> Response:
        """Rulings by the moment they were asked for, newest first."""
        parameters = read_parameters(inputs.RulingList, request)
        found = rulings().filter(self.own("table"))
        found = narrowed(found, parameters, "requested_at", table="table__code", status="status")
        return self.page(outputs.RulingBody, found, ("-requested_at", "-id"), parameters)

    @extend_schema(
        operation_id="request_ruling",
        summary="Ask for a ruling",
        request=inputs.RulingRequest,
        responses={201: outputs.RulingDetailBody, **ruling_problems(400, 401, 403, 413, 415)},
        examples=examples.shown(examples.RULING_DETAIL, 201),
    )
    def post(self, request: Request) -> Response:
        """A request that waits for a second person, for 30 minutes. Only people ask, signed in.

        No other ruling may be open on its rounds. Whether the rulebook proposes this decision is worked out
        from the incident.
        """
        fields = inputs.read_input(inputs.RulingRequest, request)
        draft, incident = draft_in_body(fields), incident_in_body(fields)
        ruling = request_ruling(
            **draft,
            reason=fields["reason"],
            user=cast(User, request.user),  # no key and nobody unknown gets here
            actor=Actor.of_user(request.user),
            at=timezone.now(),
            incident=incident,
            is_proposed_by_rule=is_proposed(incident, draft["kind"], draft["facts"]),
        )
        body = self.write(outputs.RulingDetailBody, with_details(ruling))
        return Response(body, status=status.HTTP_201_CREATED)


class RulingPreview(ApiView):
    permission = REQUEST

    @extend_schema(
        operation_id="preview_ruling",
        summary="Preview a ruling",
        request=inputs.RulingDraft,
        responses={200: outputs.PreviewBody, **ruling_problems(400, 401, 403, 413, 415)},
        examples=examples.shown(examples.PREVIEW),
    )
    def post(self, request: Request) -> Response:
        """What a ruling would do as things are now; nothing is written.

        Its hash is that of the request made of it, as long as nothing changes in between.
        """
        draft = draft_in_body(inputs.read_input(inputs.RulingDraft, request))
        seen = preview_ruling(**draft, actor=Actor.of_user(request.user))
        return Response(self.write(outputs.PreviewBody, _with_moves(seen)))


class OneRuling(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "audit.view_ruling"

    @extend_schema(
        operation_id="read_ruling",
        summary="Read one ruling",
        parameters=[RULING],
        responses={200: outputs.RulingDetailBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.RULING_DETAIL),
    )
    def get(self, request: Request, number: str) -> Response:
        """One ruling by its number: its rounds, how far it is, and what the table was told."""
        return Response(self.write(outputs.RulingDetailBody, with_details(ruling_in_path(self, number))))


class RulingVerb(ApiView):
    """What the verbs on one ruling share: who may, and the ruling as it is afterwards."""

    permission = APPROVE

    def done(self, request: Request, number: str, verb: Callable[..., Any], **facts: Any) -> Response:
        """Call the service, and answer with the ruling as it is then."""
        ruling: Ruling = ruling_in_path(self, number)
        verb(ruling_id=ruling.pk, actor=Actor.of_user(request.user), at=timezone.now(), **facts)
        return Response(self.write(outputs.RulingDetailBody, with_details(ruling)))


def _documented(verb: str, summary: str, body: Any) -> Callable[[Any], Any]:
    return extend_schema(
        operation_id=f"{verb}_ruling",
        summary=summary,
        request=body,
        parameters=[RULING],
        responses={
            200: outputs.RulingDetailBody,
            **ruling_problems(400, 401, 403, 404, 409, 413, 415),
        },
        examples=examples.shown(examples.RULING_DETAIL),
    )


class ApproveRuling(RulingVerb):
    @_documented("approve", "Approve a ruling", inputs.Approval)
    def post(self, request: Request, number: str) -> Response:
        """An approval, signed with the hash of the preview that was looked at; the worker carries it out.

        Another person than the one who asked, above the table's threshold. Above its second threshold the
        approver signs in again first, on the ruling's page.
        """
        fields = inputs.read_input(inputs.Approval, request)
        return self.done(request, number, approve_ruling, user=request.user, **fields)


class RefuseRuling(RulingVerb):
    @_documented("refuse", "Refuse a ruling", inputs.Refusal)
    def post(self, request: Request, number: str) -> Response:
        """A refusal, with its reason. The rounds are free again; the incident stays open."""
        fields = inputs.read_input(inputs.Refusal, request)
        return self.done(request, number, refuse_ruling, user=request.user, **fields)


class WithdrawRuling(RulingVerb):
    permission = REQUEST

    @_documented("withdraw", "Withdraw a ruling", inputs.Withdrawal)
    def post(self, request: Request, number: str) -> Response:
        """The way back for who asked, with the reason, while nobody has decided; other accounts are refused.

        The rounds are free again; the incident stays open.
        """
        fields = inputs.read_input(inputs.Withdrawal, request)
        return self.done(request, number, withdraw_ruling, user=request.user, **fields)


class StopRuling(RulingVerb):
    @_documented("stop", "Stop a ruling between two rounds", inputs.Nothing)
    def post(self, request: Request, number: str) -> Response:
        """A stop after the round that is being done. What was done stands; it can be resumed."""
        inputs.read_input(inputs.Nothing, request)
        return self.done(request, number, stop_ruling)


class ResumeRuling(RulingVerb):
    @_documented("resume", "Resume a ruling", inputs.Nothing)
    def post(self, request: Request, number: str) -> Response:
        """Going on with a ruling that was stopped."""
        inputs.read_input(inputs.Nothing, request)
        return self.done(request, number, resume_ruling)


def _with_moves(seen: Preview) -> dict[str, Any]:
    """Add to a preview what moves in all its rounds, by kind of bet and by player."""
    money = money_of_parts(seen.rounds, limit=MOST_PLAYERS)
    players = Player.objects.select_related("identity").in_bulk([line.player_id for line in money.players])
    by_player = [asdict(line) | {"player": players[line.player_id]} for line in money.players]
    return {
        "hash": seen.hash,
        "rounds": seen.rounds,
        "bets": seen.bets,
        "players": seen.players,
        "given_minor": seen.given_minor,
        "taken_minor": seen.taken_minor,
        "by_kind": money.kinds,
        "by_player": by_player,
    }
