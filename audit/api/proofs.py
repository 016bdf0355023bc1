"""Checkpoints and proofs, for whoever wants to check the journal without believing the house."""

from base64 import b64encode

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import examples, inputs
from audit.models import Checkpoint
from audit.queries.exporting import note_of
from audit.queries.tree import NotSealed, growth_between, inclusion_of
from tables.api.base import ApiView
from tables.api.filters import read_parameters
from tables.api.problems import unknown
from tables.api.schema import page_of, problems
from tables.models import JournalEntry
from tables.services.api_keys import Scope

PERMISSION = "audit.view_checkpoint"


class CheckpointBody(serializers.ModelSerializer):
    root_hash = serializers.SerializerMethodField()
    note = serializers.SerializerMethodField()

    class Meta:
        model = Checkpoint
        fields = ["size", "root_hash", "note", "sealed_at"]

    def get_root_hash(self, found: Checkpoint) -> str:
        """Return the root in base64."""
        return b64encode(bytes(found.root)).decode()

    def get_note(self, found: Checkpoint) -> str:
        """Return the note with every signature."""
        return note_of(found)


class InclusionBody(serializers.Serializer):
    entry = serializers.IntegerField()
    leaf = serializers.IntegerField()
    body = serializers.CharField()
    proof = serializers.ListField(child=serializers.CharField())
    checkpoint = CheckpointBody()


class GrowthBody(serializers.Serializer):
    old_size = serializers.IntegerField()
    proof = serializers.ListField(child=serializers.CharField())
    checkpoint = CheckpointBody()


def _path(name: str, said: str, example: int) -> OpenApiParameter:
    shown = [OpenApiExample("Example", value=example)]
    return OpenApiParameter(name, int, OpenApiParameter.PATH, description=said, examples=shown)


SIZE = _path("size", "The number of entries a checkpoint seals.", 8123)
OLD_SIZE = _path("old_size", "The number of entries that were seen before.", 8000)
ENTRY = _path("entry_id", "The number of a journal entry.", 8100)


class Checkpoints(ApiView):
    scopes, permission = (Scope.PROOF_READ,), PERMISSION

    @extend_schema(
        operation_id="list_checkpoints",
        summary="List checkpoints",
        parameters=[inputs.NoticeList],
        responses={200: page_of(CheckpointBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.CHECKPOINT),
    )
    def get(self, request: Request) -> Response:
        """Signed checkpoints, the newest first. A note kept elsewhere shows later what was there now."""
        parameters = read_parameters(inputs.NoticeList, request)
        found = Checkpoint.objects.prefetch_related("cosignatures")
        return self.page(CheckpointBody, found, ("-size",), parameters)


class OneCheckpoint(ApiView):
    scopes, permission = (Scope.PROOF_READ,), PERMISSION

    @extend_schema(
        operation_id="read_checkpoint",
        summary="Read one checkpoint",
        parameters=[SIZE],
        responses={200: CheckpointBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.CHECKPOINT),
    )
    def get(self, request: Request, size: int) -> Response:
        """The checkpoint that seals this many entries."""
        return Response(self.write(CheckpointBody, find_checkpoint(size)))


class Growth(ApiView):
    scopes, permission = (Scope.PROOF_READ,), PERMISSION

    @extend_schema(
        operation_id="read_growth",
        summary="Prove that the journal only grew",
        parameters=[SIZE, OLD_SIZE],
        responses={200: GrowthBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.GROWTH),
    )
    def get(self, request: Request, size: int, old_size: int) -> Response:
        """The RFC 9162 consistency proof that an older tree is the beginning of this checkpoint's."""
        checkpoint = find_checkpoint(size)
        if not 0 < old_size <= checkpoint.size:
            raise unknown(f"The journal of {size} entries never grew from {str(old_size)[:20]}.")
        proof = [b64encode(step).decode() for step in growth_between(old_size, checkpoint.size)]
        body = {"old_size": old_size, "proof": proof, "checkpoint": checkpoint}
        return Response(self.write(GrowthBody, body))


class EntryProof(ApiView):
    scopes, permission = (Scope.PROOF_READ,), PERMISSION

    @extend_schema(
        operation_id="read_entry_proof",
        summary="Prove that an entry is in the journal",
        parameters=[ENTRY],
        responses={200: InclusionBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.INCLUSION),
    )
    def get(self, request: Request, entry_id: int) -> Response:
        """The sealed bytes of an entry and the RFC 9162 inclusion proof that leads to the newest checkpoint.

        The body is what the leaf hashes: SHA-256 of a zero byte and these bytes in UTF-8.
        """
        entry = JournalEntry.objects.filter(pk=min(entry_id, 2**63 - 1)).first()
        try:
            if entry is None:
                raise NotSealed(f"there is no entry {str(entry_id)[:20]}")
            found = inclusion_of(entry.pk)
        except NotSealed as problem:
            raise unknown(f"{problem}.") from problem
        body = {
            "entry": entry.pk,
            "leaf": found.index,
            "body": bytes(entry.body).decode(errors="replace"),
            "proof": [b64encode(step).decode() for step in found.proof],
            "checkpoint": found.checkpoint,
        }
        return Response(self.write(InclusionBody, body))


def find_checkpoint(size: int) -> Checkpoint:
    """Find the checkpoint of a size.

    :raises Problem: 404, if there is none.
    """
    found = Checkpoint.objects.filter(pk=min(size, 2**63 - 1)).first()
    if found is None:
        raise unknown(f"There is no checkpoint at {str(size)[:20]} entries.")
    return found
