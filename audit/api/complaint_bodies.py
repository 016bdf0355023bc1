"""How complaints look from outside, and what may be sent about them. Times are UTC."""

import re
from base64 import b64decode
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from rest_framework import serializers

from audit.models import (
    Attachment,
    AttachmentSubject,
    Complaint,
    ComplaintAction,
    ComplaintChannel,
    ComplaintRefusal,
    ComplaintSource,
    ComplaintStatus,
    DisputedEvent,
    VideoHold,
    VideoHoldStatus,
)
from audit.queries.video import holds_of
from audit.rules.attachments import AttachmentKind
from audit.services.complaint_record import LONGEST
from tables.api.filters import DatedParameters, Strict, TransactionFeed
from tables.api.problems import bad_field
from tables.api.serializers import PlayerBody

MOST_FILES: Final = 10
_SECONDS: Final = re.compile(r"\d{2}:\d{2}:\d{2}", re.ASCII)


def read_moment(text: str, zone: ZoneInfo | None) -> tuple[datetime, bool]:
    """Read a time of play, and whether it has seconds.

    :raises Problem: 400 if it is none, or no zone says what it means.
    """
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            if zone is None:
                raise bad_field("zone", "complaint/zone", "A time without an offset needs the zone it is of.")
            found = found.replace(tzinfo=zone)
        return found.astimezone(UTC), bool(_SECONDS.search(text))
    except (ValueError, OverflowError) as error:
        raise bad_field(
            "played_at", "complaint/time", "Write a time as 2026-11-29T02:40, with an offset or a zone."
        ) from error


def _one_of(values: Any, **kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField([value.value for value in values], **kwargs)


def _or_none(values: Any, **kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(["", *(value.value for value in values)], **kwargs)


class ZoneField(serializers.CharField):
    """A time zone by its name."""

    default_error_messages = {"zone": "There is no such time zone; write it as Asia/Bangkok."}

    def to_internal_value(self, data: Any) -> str:
        """Read the name.

        :raises ValidationError: if there is no such zone.
        """
        text = super().to_internal_value(data)
        if text and text not in available_timezones():
            self.fail("zone")
        return text


def _text(name: str, said: str) -> serializers.CharField:
    return serializers.CharField(max_length=LONGEST[name], default="", allow_blank=True, help_text=said)


class Details(Strict):
    """What a player says; the rule asks for the time of play, the table, the dealer and the round."""

    played_at = serializers.CharField(
        max_length=40,
        default="",
        allow_blank=True,
        help_text="When it was played: 2026-11-29T02:40:00+07:00, or without an offset and with `zone`.",
    )
    zone = ZoneField(max_length=64, default="", allow_blank=True, help_text="The zone of `played_at`.")
    table = _text("table", "The table's code.")
    dealer = _text("dealer", "The dealer's name.")
    round = _text("round", "The round's ID, its number in the shoe, or the platform's ID of it.")
    player = _text("player", "The player's reference.")
    bet = _text("bet", "The platform's ID of a bet, if known.")
    disputed = _text("disputed", "What is disputed, in the player's words.")
    contact = _text("contact", "Where the player is answered.")


class Base64Field(serializers.CharField):
    """Text that is base64; `bytes_of` reads it."""

    default_error_messages = {"base64": "This is no base64."}

    def to_internal_value(self, data: Any) -> str:
        """Read the text.

        :raises ValidationError: if it is not base64.
        """
        text = super().to_internal_value(data)
        try:
            bytes_of(text)
        except ValueError:
            self.fail("base64")
        return text


def bytes_of(content: str) -> bytes:
    """Return the bytes that are written in base64.

    :raises ValueError: if they are not.
    """
    return b64decode(content, validate=True)


class SentFile(Strict):
    """A file that goes with a complaint: PDF, PNG, JPEG or plain text, by what it holds."""

    name = serializers.CharField(max_length=200, help_text="What people call the file.")
    content = Base64Field(allow_blank=True, help_text="Its bytes in base64.")


class Filing(Details):
    """A complaint as it is filed."""

    attachments = serializers.ListField(
        child=SentFile(),
        default=list,
        max_length=MOST_FILES,
        help_text="Files of the player. One that is not taken is named in `not_attached`.",
    )

    channel = _one_of(ComplaintChannel, default="chat", help_text="How the player reached the house.")
    language = serializers.ChoiceField(["en", "th"], default="th", help_text="In which to answer.")


class Information(Details):
    """What a player says further."""

    seen_version = serializers.IntegerField(
        min_value=1, required=False, help_text="The version that was looked at, if one was."
    )


class Change(Strict):
    """What a verb needs: a reason, a text, or nothing."""

    seen_version = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, help_text="The version that was looked at."
    )
    reason = serializers.CharField(
        max_length=2_000, required=False, help_text="Why, for refuse, wait, uphold, reject and reopen."
    )
    text = serializers.CharField(max_length=8_000, required=False, help_text="The answer, or the note.")
    language = serializers.ChoiceField(["en", "th"], required=False, help_text="The answer's language.")
    closes = serializers.BooleanField(required=False, help_text="true closes a decided one by its answer.")
    into_number = serializers.CharField(
        max_length=12, required=False, help_text="For merge: the complaint that goes on."
    )


class ComplaintList(DatedParameters):
    """Parameters of the list of complaints; the dates are those of the receipt."""

    table = serializers.CharField(max_length=6, required=False, help_text="The table's code.")
    round = serializers.CharField(max_length=24, required=False, help_text="The round's ID.")
    dealer = serializers.CharField(max_length=32, required=False, help_text="The dealer's reference.")
    player = serializers.CharField(max_length=64, required=False, help_text="The player's reference.")
    status = _one_of(ComplaintStatus, required=False, help_text="The complaint's state.")


class ComplaintBody(serializers.ModelSerializer):
    table = serializers.CharField(source="table.code", allow_null=True, default=None)
    round = serializers.CharField(source="round.public_id", allow_null=True, default=None)
    player = PlayerBody(allow_null=True)
    status = _one_of(ComplaintStatus)
    refusal = _or_none(ComplaintRefusal, help_text="Why it was refused; empty where it was not.")
    outcome = serializers.CharField(help_text="upheld or rejected; empty while it is not decided.")
    event_kind = _or_none(DisputedEvent, help_text="What the time for complaining runs from.")
    checks = serializers.DictField(
        child=serializers.CharField(),
        help_text="Each detail compared with the record: agrees, differs, missing, unknown.",
    )
    source = _one_of(ComplaintSource)  # type: ignore[assignment]
    channel = _one_of(ComplaintChannel)
    language = serializers.ChoiceField(["en", "th"])
    owner = serializers.SerializerMethodField(help_text="Whose it is; null while nobody took it.")
    is_admitted_late = serializers.SerializerMethodField(
        help_text="true when it came late and two persons let it in."
    )
    merged_into = serializers.CharField(source="merged_into.number", allow_null=True, default=None)
    rulings = serializers.SerializerMethodField(help_text="The rulings that name it.")

    class Meta:
        model = Complaint
        fields = (
            "number", "version", "status", "refusal", "outcome", "table", "round", "player", "event_kind",
            "event_at", "received_at", "window_ends_at", "answer_due_at", "checks", "source", "channel",
            "language", "owner", "escalated_at", "answered_at", "closed_at",
            "is_admitted_late", "merged_into", "rulings",
        )  # fmt: skip

    def get_owner(self, complaint: Complaint) -> str | None:
        """Return the name of whoever owns it."""
        owner = complaint.owner
        return (owner.get_full_name() or owner.get_username()) if owner else None

    def get_is_admitted_late(self, complaint: Complaint) -> bool:
        """Say whether two persons let it in."""
        return complaint.admission_id is not None

    def get_rulings(self, complaint: Complaint) -> list[str]:
        """Return the numbers of its rulings."""
        return sorted(ruling.number for ruling in complaint.rulings.all())


class AttachmentBody(serializers.ModelSerializer):
    name = serializers.SerializerMethodField(help_text="null once the file was erased.")
    sha256 = serializers.SerializerMethodField(help_text="Of the file as kept; null once it was erased.")
    kind = _one_of(AttachmentKind)

    class Meta:
        model = Attachment
        fields = ("uuid", "name", "kind", "size_bytes", "sha256", "added_at")

    def get_name(self, attachment: Attachment) -> str | None:
        """Return the name people see."""
        file = getattr(attachment, "file", None)
        return file.name if file is not None else None

    def get_sha256(self, attachment: Attachment) -> str | None:
        """Return the digest of the file as it is kept."""
        file = getattr(attachment, "file", None)
        return file.sha256 if file is not None else None


class NotTakenBody(serializers.Serializer):
    """A file that was not attached, and why."""

    name = serializers.CharField()
    rule = serializers.CharField()
    message = serializers.CharField()


class FiledBody(ComplaintBody):
    not_attached = NotTakenBody(many=True, help_text="Files that were not taken, each with why.")
    is_repeat = serializers.BooleanField(help_text="true when the key had made it before.")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="What the rule asks for and it does not name."
    )
    did_you_mean = serializers.ListField(
        child=serializers.CharField(), help_text="Rounds that exist, one slip away from what was written."
    )

    class Meta(ComplaintBody.Meta):
        fields = (  # type: ignore[assignment]
            *ComplaintBody.Meta.fields, "is_repeat", "missing", "did_you_mean", "not_attached",
        )  # fmt: skip


class WordsBody(serializers.Serializer):
    """What the player said; empty once it was erased."""

    played_at = serializers.DateTimeField(allow_null=True)
    zone = serializers.CharField(allow_blank=True)
    table = serializers.CharField(source="table_text", allow_blank=True)
    dealer = serializers.CharField(source="dealer_text", allow_blank=True)
    round = serializers.CharField(source="round_text", allow_blank=True)
    bet = serializers.CharField(source="bet_text", allow_blank=True)
    disputed = serializers.CharField(allow_blank=True)
    contact = serializers.CharField(allow_blank=True)


class StepBody(serializers.Serializer):
    version = serializers.IntegerField()
    action = _one_of(ComplaintAction)
    status = serializers.CharField(source="to_status")
    by = serializers.CharField(source="actor_label")
    at = serializers.DateTimeField()
    text = serializers.SerializerMethodField(
        help_text="The reason, note or answer; null where there is none."
    )

    def get_text(self, event: Any) -> str | None:
        """Return the text of a step, as it was written."""
        found = getattr(event, "text", None)
        return found.text if found is not None else None


class AnswerFeed(TransactionFeed):
    """Parameters of what was answered, which goes forward."""


class AnswerBody(serializers.Serializer):
    """That a complaint was answered, by which of its versions; what was answered, the complaint says."""

    complaint = serializers.CharField(source="complaint.number")
    version = serializers.IntegerField()
    channel = _one_of(ComplaintChannel, source="complaint.channel")
    language = serializers.CharField(source="data.language", help_text="In which it was answered: en, th.")
    status = serializers.CharField(source="to_status", help_text="The complaint's state at that moment.")
    answered_at = serializers.DateTimeField(source="at")


class AnswersBody(serializers.Serializer):
    items = AnswerBody(many=True)
    after = serializers.CharField(help_text="What to send as `after` next time, also when nothing came now.")
    has_more = serializers.BooleanField()


class VideoHoldBody(serializers.ModelSerializer):
    status = _one_of(VideoHoldStatus)

    class Meta:
        model = VideoHold
        fields = ("camera", "from_at", "to_at", "lapses_at", "status", "asked_at", "answered_at")


class ComplaintDetailBody(ComplaintBody):
    said = WordsBody(allow_null=True)
    steps = StepBody(many=True)
    video = VideoHoldBody(many=True)
    attachments = AttachmentBody(many=True)

    class Meta(ComplaintBody.Meta):
        fields = (  # type: ignore[assignment]
            *ComplaintBody.Meta.fields, "said", "steps", "video", "attachments",
        )  # fmt: skip


def attachments_of(complaint: Complaint) -> list[Attachment]:
    """Return what is attached to a complaint, in the order in which it came."""
    kind = AttachmentSubject.COMPLAINT.value
    found = Attachment.objects.filter(subject_kind=kind, subject_id=complaint.pk)
    return list(found.select_related("file").order_by("pk"))


def with_details(complaint: Any) -> Any:
    """Give a complaint what was said, its steps, and the video of its round."""
    events = complaint.events.select_related("text", "words").order_by("version")
    complaint.steps = list(events)
    said = [event.words for event in complaint.steps if hasattr(event, "words")]
    complaint.said = said[-1] if said else None
    complaint.attachments = attachments_of(complaint)
    complaint.video = holds_of(complaint.round) if complaint.round else []
    return complaint
