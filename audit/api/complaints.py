"""Complaints: taken down from a form, a chat or a mail gateway, read, and led on by people."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import complaint_bodies as bodies
from audit.api import examples, inputs
from audit.api.schema import COMPLAINT, VERB, complaint_problems
from audit.models import Complaint, ComplaintChannel
from audit.queries.complaint_answers import answers_after
from audit.queries.complaint_rounds import find_meant
from audit.rules.complaints import Said
from audit.services import complaint_verbs as verbs
from audit.services.attachments import Sent, attach_file, limits
from audit.services.complaints import add_information, file_complaint
from audit.services.looks import look_at_complaint
from tables.api.base import ApiView
from tables.api.filters import read_parameters
from tables.api.narrowing import narrowed
from tables.api.problems import bad_field, unknown
from tables.api.schema import page_of, problems
from tables.models import ApiKey
from tables.services.actors import Actor
from tables.services.api_keys import Scope

NUMBER: Final = re.compile(r"C-[0-9]{4,9}", re.ASCII)
KEY: Final = re.compile(r"[\x21-\x7e]{1,64}", re.ASCII)
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Any text of 1 to 64 characters; the same one finds the complaint it made before.",
)
HANDLE = "audit.handle_complaint"


def most_bytes() -> int:
    """Return how long a body with a file in it may be: base64 writes three bytes as four."""
    return inputs.MAX_BODY_BYTES + limits().size_bytes * 4 // 3


def complaints() -> QuerySet[Complaint]:
    """Return complaints with what is shown of them."""
    return Complaint.objects.select_related(
        "table", "round", "player__identity", "owner", "merged_into"
    ).prefetch_related("rulings")


def complaint_in_path(view: ApiView, number: str) -> Complaint:
    """Find the complaint that the path names.

    :raises Problem: 404 if there is none that the one who asks may see.
    """
    found = (
        complaints().filter(view.own("table"), number=number).first() if NUMBER.fullmatch(number) else None
    )
    if found is None:
        raise unknown(f"There is no complaint {number[:20]!r}; a complaint's number looks like C-0031.")
    return found


def who_asks(request: Request) -> tuple[Actor, Any]:
    """Return who acts, and the account behind it; a machine has none."""
    key = request.auth
    if isinstance(key, ApiKey):
        return Actor.of_key(key.prefix), None
    return Actor.of_user(request.user), request.user


class ComplaintApiView(ApiView):
    """Something that is said of a complaint."""

    def check_own(self, said: Said) -> None:
        """Raise unless the one who sends may speak of the round that is meant, or of no known table.

        :raises Problem: 403, if the key is another table's.
        """
        if isinstance(self.request.auth, ApiKey) and (table := find_meant(said).table) is not None:
            self.check_table(table.code)


class Complaints(ComplaintApiView):
    scopes, permission = (Scope.COMPLAINT_READ,), "audit.view_complaint"

    def needed(self, method: str) -> tuple[tuple[str, ...], str | None]:
        """Let gateways file what they may not read."""
        return ((Scope.COMPLAINT_WRITE,), HANDLE) if method == "POST" else super().needed(method)

    @extend_schema(
        operation_id="list_complaints",
        summary="List complaints",
        parameters=[bodies.ComplaintList],
        responses={200: page_of(bodies.ComplaintBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.COMPLAINT),
    )
    def get(self, request: Request) -> Response:
        """Complaints of a round, a table, a dealer or a player, by the moment of receipt, newest first."""
        parameters = read_parameters(bodies.ComplaintList, request)
        found = narrowed(
            complaints().filter(self.own("table")),
            parameters,
            "received_at",
            table="table__code",
            round="round__public_id",
            dealer="round__dealer__reference",
            player="player__identity__reference",
            status="status",
        )
        return self.page(bodies.ComplaintBody, found, ("-received_at", "-id"), parameters)

    @extend_schema(
        operation_id="file_complaint",
        summary="File a complaint",
        request=bodies.Filing,
        parameters=[IDEMPOTENCY],
        responses={
            201: bodies.FiledBody,
            200: bodies.FiledBody,
            **complaint_problems(400, 401, 403, 409, 413, 415),
        },
        examples=[*examples.shown(examples.FILED, 201), *examples.shown(examples.FILED)],
    )
    def post(self, request: Request) -> Response:
        """What a player says, as far as it is known. When it arrives here decides whether it is in time.

        It is recorded in any case: one that is late, incomplete or names no round comes back `refused`, and
        says why in `refusal`; one that lacks a detail may wait for it. A machine sends an `Idempotency-Key`:
        the same key with the same text answers 200 with the complaint it made before, and attaches nothing.
        """
        at = timezone.now()
        fields = inputs.read_input(bodies.Filing, request, limit=most_bytes())
        actor, user = who_asks(request)
        key = request.headers.get("Idempotency-Key", "")
        if (key or user is None) and not KEY.fullmatch(key):
            raise bad_field(
                "Idempotency-Key", "idempotency-key", "A header of 1 to 64 printable characters is wanted."
            )
        said = _said(fields)
        self.check_own(said)
        filed = file_complaint(
            said=said,
            channel=ComplaintChannel(fields["channel"]),
            language=fields["language"],
            actor=actor,
            user=user,
            at=at,
            sender=f"user-{user.pk}" if user else actor.id,
            idempotency_key=key,
            files=[Sent(file["name"], bodies.bytes_of(file["content"])) for file in fields["attachments"]],
        )
        found: Any = complaints().get(pk=filed.complaint.pk)
        body = {
            **self.write(bodies.ComplaintBody, found),
            "is_repeat": filed.is_repeat,
            "missing": found.events.get(version=1).data.get("missing", []),
            "did_you_mean": list(filed.did_you_mean),
            "not_attached": [one._asdict() for one in filed.files_refused],
        }
        return Response(body, status=status.HTTP_200_OK if filed.is_repeat else status.HTTP_201_CREATED)


class ComplaintAttachments(ApiView):
    scopes, permission = (Scope.COMPLAINT_WRITE,), HANDLE

    @extend_schema(
        operation_id="attach_to_complaint",
        summary="Attach a file to a complaint",
        request=bodies.SentFile,
        parameters=[COMPLAINT],
        responses={201: bodies.AttachmentBody, **complaint_problems(400, 401, 403, 404, 409, 413, 415)},
        examples=examples.shown(examples.ATTACHMENT, 201),
    )
    def post(self, request: Request, number: str) -> Response:
        """A file that the player sends later. What it is, its bytes tell; a picture is drawn anew.

        A closed complaint takes none: 409.
        """
        complaint = complaint_in_path(self, number)
        fields = inputs.read_input(bodies.SentFile, request, limit=most_bytes())
        actor, user = who_asks(request)
        attachment = attach_file(
            subject=complaint,
            data=bodies.bytes_of(fields["content"]),
            name=fields["name"],
            actor=actor,
            at=timezone.now(),
            user=user,
        )
        return Response(bodies.AttachmentBody(attachment).data, status=status.HTTP_201_CREATED)


class OneComplaint(ApiView):
    scopes, permission = (Scope.COMPLAINT_READ,), "audit.view_complaint"

    @extend_schema(
        operation_id="read_complaint",
        summary="Read one complaint",
        parameters=[COMPLAINT],
        responses={200: bodies.ComplaintDetailBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.COMPLAINT_DETAIL),
    )
    def get(self, request: Request, number: str) -> Response:
        """One complaint by its number: what was said, each step, the video, the answers as they were sent."""
        complaint = complaint_in_path(self, number)
        look_at_complaint(complaint, actor=who_asks(request)[0], at=timezone.now())
        return Response(self.write(bodies.ComplaintDetailBody, bodies.with_details(complaint)))


class ComplaintAnswers(ApiView):
    scopes, permission = (Scope.COMPLAINT_READ,), "audit.view_complaint"

    @extend_schema(
        operation_id="follow_answers",
        summary="Follow the answers to complaints",
        parameters=[bodies.AnswerFeed],
        responses={200: bodies.AnswersBody, **problems(400, 401, 403)},
        examples=examples.shown(examples.ANSWERS),
    )
    def get(self, request: Request) -> Response:
        """Answers that come after the number given, in an order in which none is ever missed.

        Nothing is sent to the player from here. A gateway sends `after` of the last answer to go on, reads
        each complaint named, and carries the text of that version to the player.
        """
        parameters = read_parameters(bodies.AnswerFeed, request)
        rows, after, has_more = answers_after(
            int(parameters["after"]), of=self.own("complaint__table"), limit=parameters["limit"]
        )
        items = self.write(bodies.AnswerBody, rows, many=True)
        return Response({"items": items, "after": str(after), "has_more": has_more})


class ComplaintInformation(ComplaintApiView):
    scopes, permission = (Scope.COMPLAINT_WRITE,), HANDLE

    @extend_schema(
        operation_id="add_information",
        summary="Add what a player says further",
        request=bodies.Information,
        parameters=[COMPLAINT],
        responses={200: bodies.ComplaintBody, **complaint_problems(400, 401, 403, 404, 409, 413, 415)},
        examples=examples.shown(examples.COMPLAINT),
    )
    def post(self, request: Request, number: str) -> Response:
        """Details of a complaint that waits for them; what is left out stays as it was said before.

        It is judged anew, by the moment of its first receipt.
        """
        complaint = complaint_in_path(self, number)
        fields = inputs.read_input(bodies.Information, request)
        actor, user = who_asks(request)
        said = _said(fields)
        self.check_own(said)
        add_information(
            complaint_id=complaint.pk,
            seen_version=fields.get("seen_version"),
            said=said,
            actor=actor,
            user=user,
            at=timezone.now(),
        )
        return Response(self.write(bodies.ComplaintBody, complaints().get(pk=complaint.pk)))


Verb = Callable[[dict[str, Any], Mapping[str, Any]], Complaint]


def _with(verb: Callable[..., Complaint], *names: str, **fixed: Any) -> Verb:
    """Make a verb of a service that takes these fields of the body; a text that is left out is empty."""
    return lambda who, fields: verb(**who, **fixed, **{name: fields.get(name, "") for name in names})


def _answer(who: dict[str, Any], fields: Mapping[str, Any]) -> Complaint:
    return verbs.answer_complaint(
        **who,
        text=fields.get("text", ""),
        language=fields.get("language", "en"),
        template="",
        closes=fields.get("closes", False),
    )


#: What people do to a complaint, by the last part of the path.
VERBS: Final[dict[str, Verb]] = {
    "accept": _with(verbs.accept_complaint),
    "refuse": _with(verbs.refuse_complaint, "reason"),
    "wait": _with(verbs.wait_for_information, "reason"),
    "review": _with(verbs.review_complaint),
    "uphold": _with(verbs.decide_complaint, "reason", is_upheld=True),
    "reject": _with(verbs.decide_complaint, "reason", is_upheld=False),
    "answer": _answer,
    "close": _with(verbs.close_complaint),
    "reopen": _with(verbs.reopen_complaint, "reason"),
    "note": _with(verbs.note_complaint, "text"),
    "merge": _with(verbs.merge_complaint, "into_number"),
}


class ComplaintVerb(ApiView):
    scopes, permission = (), "audit.view_complaint"

    @extend_schema(
        operation_id="change_complaint",
        summary="Lead a complaint on",
        request=bodies.Change,
        parameters=[COMPLAINT, VERB],
        responses={200: bodies.ComplaintBody, **complaint_problems(400, 401, 403, 404, 409, 413, 415)},
        examples=examples.shown(examples.COMPLAINT),
    )
    def post(self, request: Request, number: str, verb: str) -> Response:
        """Accept, refuse, review, decide, answer, close or reopen a complaint. Only people do, signed in.

        `seen_version` is the version that was looked at: when somebody was quicker, the answer is a 409 that
        says who, and nothing was done.
        """
        complaint = complaint_in_path(self, number)
        if verb not in VERBS:
            raise unknown(f"There is no {verb[:20]!r}; there are {', '.join(VERBS)}.")
        fields = inputs.read_input(bodies.Change, request)
        actor, user = who_asks(request)
        who = {
            "complaint_id": complaint.pk,
            "seen_version": fields["seen_version"],
            "actor": actor,
            "user": user,
            "at": timezone.now(),
        }
        VERBS[verb](who, fields)
        return Response(self.write(bodies.ComplaintBody, complaints().get(pk=complaint.pk)))


def _said(fields: Mapping[str, Any]) -> Said:
    """Return what was said; a time without an offset is one of the zone named."""
    texts = {name: fields.get(name, "") for name in ("table", "dealer", "round", "player", "bet", "disputed")}
    text = fields.get("played_at", "")
    zone = fields.get("zone", "")
    played_at, has_seconds = (
        bodies.read_moment(text, ZoneInfo(zone) if zone else None) if text else (None, False)
    )
    return Said(
        played_at=played_at, has_seconds=has_seconds, zone=zone, contact=fields.get("contact", ""), **texts
    )
