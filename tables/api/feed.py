"""What a table sends, and where its feed has got to."""

import re
from collections.abc import Iterable

import msgspec
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from tables.api import examples, serializers
from tables.api.authentication import KeyAuthentication
from tables.api.base import ApiView
from tables.api.bodies import read_body
from tables.api.problems import FieldError, Problem, ProblemDetails, unknown
from tables.api.schema import BAD_BODY, CODE, problems
from tables.feed.body import BadBody, split_events
from tables.feed.events import MAX_REQUEST_BYTES
from tables.feed.reader import EventAnswer, FeedAnswer, read_lines
from tables.models import TableState
from tables.services.actors import Actor
from tables.services.api_keys import Scope

LINES, ARRAY = "application/x-ndjson", "application/json"
MEDIA_TYPES = (LINES, "application/jsonl", ARRAY)
ERRORS_SHOWN = 100
SAID = re.compile(r"(?P<field>[^:]{1,200}): (?P<message>.*) \((?P<rule>[\w/-]+)\)", re.DOTALL)
IN_ORDER = frozenset({"accepted", "repeat"})


class TableEvents(ApiView):
    """The table feed. Only a key may send: what people key in goes another way."""

    authentication_classes = [KeyAuthentication]
    scopes = (Scope.FEED_WRITE,)

    @extend_schema(
        operation_id="send_events",
        summary="Send events of a table",
        request={LINES: OpenApiTypes.STR, ARRAY: serializers.AnyEventBody(many=True)},
        parameters=[CODE],
        responses={
            200: serializers.FeedAnswerBody,
            207: serializers.FeedAnswerBody,
            (409, "application/problem+json"): serializers.FeedProblemBody,
            **problems(400, 401, 403, 411, 413, 415, bad_input=BAD_BODY),
        },
        examples=examples.FEED_EXAMPLES,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        """Events as JSON Lines (`application/x-ndjson`) or one JSON array (`application/json`), up to 64 MB.

        They are read in order and each is answered: `accepted`, `repeat` (it was here before; nothing was
        done), `refused` (it took its sequence number, and its round waits for an event that `supersedes` it),
        `conflict` (its ID or number belongs to another event), `gap` (a number before it is missing) or
        `unreadable` (not stored). Of an accepted `bets` event the bets not taken are named with the reason.

        * 200: everything is in, now or before.
        * 207: some events are not; look at each answer.
        * 409: a sequence number is missing. Send on from `expected_seq`; what came before it is in.
        * 400: nothing could be read: no event at all, or a body that is empty, broken or begins with a BOM.
        * 413: more than 64 MB; nothing was recorded.

        Whatever happened, sending the same again does no harm. What was answered `accepted` is durable.
        """
        self.check_table(code)
        _check_media_type(request)
        body = read_body(request._request, limit=MAX_REQUEST_BYTES)
        try:
            events = split_events(body)
        except BadBody as error:
            raise _nothing_read([_field_error("body", str(error))], str(error)) from error
        answer = read_lines(
            code,
            events,
            actor=Actor.of_table(code),
            received_at=timezone.now(),
            request_id=self.request_id,
        )
        return _written(answer)


class TableFeed(ApiView):
    """Where a table's feed has got to; its own sender may ask as well."""

    scopes, permission = (Scope.FEED_WRITE, Scope.PLAY_READ), "tables.view_gametable"

    @extend_schema(
        operation_id="read_feed",
        summary="Ask where a table's feed has got to",
        parameters=[CODE],
        responses={200: serializers.FeedBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.FEED),
    )
    def get(self, request: Request, code: str) -> Response:
        """The sequence number expected next, the gap if there is one, the shoe and the round in play.

        Ask this before sending again after a fault: everything below `next_seq` has arrived.
        """
        self.check_table(code)
        found = TableState.objects.select_related("table", "dealer", "shoe", "round")
        state = found.filter(table__code=code).first() if code.isprintable() else None
        if state is None:
            raise unknown(f"There is no table {code[:20]!r}.")
        return Response(self.write(serializers.FeedBody, state))


def _check_media_type(request: Request) -> None:
    media_type = request._request.content_type or ""
    if not media_type and request.META.get("CONTENT_LENGTH") in {None, "", "0"}:
        return  # nothing was sent, which is said in better words than these
    charset = (request._request.content_params or {}).get("charset", "utf-8")
    encoding = request.headers.get("Content-Encoding", "identity")
    if media_type not in MEDIA_TYPES or charset.lower() not in {"utf-8", "utf8"} or encoding != "identity":
        raise UnsupportedMediaType(
            media_type, f"Send {LINES} (JSON Lines) or {ARRAY} (an array), UTF-8, not compressed."
        )


def _written(answer: FeedAnswer) -> HttpResponse:
    """Write the answer out, under the status that fits the worst of its events.

    :raises Problem: 409 for a gap, 400 when no event could be read.
    """
    found = {event.status for event in answer.events}
    if "gap" in found:
        raise _gap(answer)
    if found == {"unreadable"}:
        details = "Not one event could be read. Nothing was recorded."
        raise _nothing_read(_errors(answer.events), details, answer)
    return HttpResponse(
        msgspec.json.encode(answer),
        content_type="application/json",
        status=status.HTTP_200_OK if found <= IN_ORDER else status.HTTP_207_MULTI_STATUS,
    )


def _gap(answer: FeedAnswer) -> Problem:
    first = next(event for event in answer.events if event.status == "gap")
    details = f"{first.expected_seq} was expected, {first.seq} came. Send on from {answer.next_seq}."
    extra = {"expected_seq": answer.next_seq, **msgspec.to_builtins(answer)}
    return Problem(
        ProblemDetails(409, "gap", "A sequence number is missing", details, _errors(answer.events), extra)
    )


def _nothing_read(errors: list[FieldError], details: str, answer: FeedAnswer | None = None) -> Problem:
    extra = msgspec.to_builtins(answer) if answer else {}
    return Problem(ProblemDetails(400, "unreadable", "Nothing could be read", details, errors, extra))


def _errors(events: Iterable[EventAnswer]) -> list[FieldError]:
    """List what is wrong with the first events that are not in, fields named from the body's beginning."""
    wrong = [(place, event.error or event.status) for place, event in enumerate(events) if event.error]
    return [_field_error(f"events[{place}]", error) for place, error in wrong[:ERRORS_SHOWN]]


def _field_error(where: str, said: str) -> FieldError:
    """Take `field: message (rule)`, as the reader says it, apart."""
    parts = SAID.fullmatch(said)
    if parts is None:
        return FieldError(where, "invalid", said)
    field = where if parts["field"] in {"event", where} else f"{where}.{parts['field']}"
    return FieldError(field, parts["rule"], parts["message"])
