"""What may stand in the body of a request that changes something: one JSON object, each field checked."""

import json
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request

from tables.api.bodies import read_body
from tables.api.filters import Strict
from tables.api.problems import bad_field
from tables.models.fields import MAX_STAKE_MINOR

MAX_BODY_BYTES = 1024 * 1024


class Reason(Strict):
    """Why something is done."""

    reason = serializers.CharField(max_length=300, help_text="Why. It stands in the journal.")


class Closing(Reason):
    """Why a table is closed, and whether a system failed."""

    by_fault = serializers.BooleanField(
        default=False, help_text="A system failed: the round in play is held until it is decided."
    )


class Range(Strict):
    """A lowest and a highest stake, in minor units."""

    min = serializers.IntegerField(min_value=1, max_value=MAX_STAKE_MINOR, help_text="Lowest stake.")
    max = serializers.IntegerField(min_value=1, max_value=MAX_STAKE_MINOR, help_text="Highest stake.")


class Limits(Strict):
    """The limits of a table, and of single kinds of bet. What is not named stays as it is."""

    default = Range(required=False, help_text="Of every bet without limits of its own.")
    bets = serializers.DictField(
        child=Range(), required=False, help_text="By kind; a kind that is not named has the table's."
    )


def read_input(kind: type[Strict], request: Request, *, limit: int = MAX_BODY_BYTES) -> Mapping[str, Any]:
    """Read and check the body of a request: one JSON object, up to 1 MB unless another limit is given.

    :raises Problem: if it is none.
    :raises ValidationError: naming every field that is wrong.
    """
    raw = read_body(request._request, limit=limit)
    if raw.strip():
        media_type = request._request.content_type or ""
        if media_type != "application/json":
            raise UnsupportedMediaType(media_type, "Send application/json.")
    fields = kind(data=_object(raw))
    fields.is_valid(raise_exception=True)
    return fields.validated_data


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw.decode() or "{}", parse_constant=_no_number)
        # Half a character may hide behind an escape; no answer could name it.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise bad_field("body", "json", "This is no JSON, or holds what is no text or number.") from error
    if not isinstance(found, dict):
        raise bad_field("body", "json", "A JSON object is wanted.")
    for name, value in found.items():
        if _has_nul({name: value}):
            field = "body" if "\x00" in name else name
            raise bad_field(
                field, "null_characters_not_allowed", "A text holds a NUL, which is no character."
            )
    return found


def _has_nul(value: Any) -> bool:
    """Tell whether a text anywhere in a JSON value holds a NUL, which no column can keep."""
    match value:
        case str():
            return "\x00" in value
        case dict():
            return any("\x00" in key or _has_nul(below) for key, below in value.items())
        case list():
            return any(map(_has_nul, value))
    return False


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")
