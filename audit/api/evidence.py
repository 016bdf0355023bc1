"""Evidence packs: asked for by a person who is signed in, watched while they are made, and fetched."""

import re
from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import examples, inputs
from audit.api.named import complaint_in_body, rounds_in_body, shoe_in_body
from audit.api.schema import PACK, pack_problems
from audit.models import Complaint, EvidencePack, PackStatus, PackSubject
from audit.services.packs import PERMISSION, NotReady, ask_for_pack, open_pack
from tables.api.base import ApiView
from tables.api.filters import Strict
from tables.api.problems import Problem, ProblemDetails, bad_field, unknown
from tables.models import Round, Shoe
from tables.services.actors import Actor

NUMBER: Final = re.compile(r"E-[0-9]{4,9}", re.ASCII)


class PackRequest(Strict):
    """What a pack is to be about: a round, a shoe or a complaint."""

    round = serializers.CharField(max_length=60, required=False, help_text="The round's ID.")
    shoe = serializers.CharField(max_length=24, required=False, help_text="Or the shoe's ID.")
    complaint = serializers.CharField(max_length=12, required=False, help_text="Or the complaint's number.")


class PackBody(serializers.ModelSerializer):
    about = serializers.CharField(source="subject_label", help_text="The ID or number of what it is about.")
    kind = serializers.ChoiceField([one.value for one in PackSubject], source="subject_kind")
    status = serializers.ChoiceField([one.value for one in PackStatus])
    step = serializers.IntegerField(help_text="1 reads the record, 2 sets the pages, 3 packs and signs.")
    stated_at = serializers.DateTimeField()

    class Meta:
        model = EvidencePack
        fields = (
            "number", "kind", "about", "names_players", "status", "step", "stated_at", "finished_at",
            "size_bytes", "sha256", "problem",
        )  # fmt: skip


class EvidencePacks(ApiView):
    permission = PERMISSION

    @extend_schema(
        operation_id="ask_for_evidence",
        summary="Ask for an evidence pack",
        request=PackRequest,
        responses={202: PackBody, **pack_problems(400, 401, 403, 413, 415)},
        examples=examples.shown(examples.PACK, 202),
    )
    def post(self, request: Request) -> Response:
        """All that is known of a round, a shoe or a complaint, as one signed archive; it is made by a worker.

        A pack about a complaint tells of its round, and where it names none of the complaint and its rule
        alone. Asked twice within half a minute, the same pack comes back.
        """
        fields = inputs.read_input(PackRequest, request)
        if len(fields) != 1:
            raise bad_field("round", "evidence/subject", "Name a round, a shoe or a complaint, one of them.")
        subject: Round | Shoe | Complaint
        if "round" in fields:
            [subject] = rounds_in_body([fields["round"]], where="round")
        elif "shoe" in fields:
            subject = shoe_in_body(fields["shoe"])
        else:
            subject = complaint_in_body(fields["complaint"])
        user: Any = request.user
        pack = ask_for_pack(subject=subject, actor=Actor.of_user(user), at=timezone.now(), user=user)
        return Response(PackBody(pack).data, status=status.HTTP_202_ACCEPTED)


class OneEvidencePack(ApiView):
    permission = "audit.view_evidencepack"

    @extend_schema(
        operation_id="read_evidence",
        summary="Read how far an evidence pack has got",
        parameters=[PACK],
        responses={200: PackBody, **pack_problems(401, 403, 404)},
        examples=examples.shown(examples.PACK),
    )
    def get(self, request: Request, number: str) -> Response:
        """One evidence pack by its number: its state, and the digest of the archive once it is made."""
        return Response(PackBody(pack_in_path(number)).data)


class EvidenceFile(ApiView):
    permission = PERMISSION

    @extend_schema(
        operation_id="fetch_evidence",
        summary="Fetch an evidence pack",
        parameters=[PACK],
        responses={
            (200, "application/zip"): OpenApiResponse(
                OpenApiTypes.BINARY,
                description="The archive.",
                examples=[OpenApiExample("Example", value="PK…", media_type="application/zip")],
            ),
            **pack_problems(401, 403, 404, 409),
        },
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        """The archive as a file. That it was fetched, and by whom, stands in the journal."""
        pack = pack_in_path(number)
        try:
            data = open_pack(pack=pack, actor=Actor.of_user(request.user), at=timezone.now())
        except NotReady as error:
            raise Problem(ProblemDetails(409, "not-ready", "Not ready", f"{error}.")) from error
        response = HttpResponse(data, content_type="application/zip")
        response["Content-Disposition"] = f'attachment; filename="{pack.number}.zip"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


def pack_in_path(number: str) -> EvidencePack:
    """Find the pack that the path names.

    :raises Problem: 404 if there is none.
    """
    found = EvidencePack.objects.filter(number=number).first() if NUMBER.fullmatch(number) else None
    if found is None:
        raise unknown(f"There is no evidence pack {number[:20]!r}; a pack's number looks like E-0012.")
    return found
