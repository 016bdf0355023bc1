"""Examples the OpenAPI document shows beside the shapes."""

import json

from drf_spectacular.utils import OpenApiExample

_HEARTBEAT = {"id": "e-1", "table": "B03", "seq": 1, "at": "2026-11-29T06:00:00+07:00", "type": "heartbeat"}
_OPENED = {"id": "e-2", "table": "B03", "seq": 2, "at": "2026-11-29T06:00:05+07:00", "type": "table_opened"}


def _answer(seq: int, status: str, error: str | None = None, expected_seq: int | None = None) -> dict:
    return {
        "id": f"e-{seq}",
        "seq": seq,
        "status": status,
        "error": error,
        "refused_bets": [],
        "expected_seq": expected_seq,
    }


FEED_EXAMPLES = [
    OpenApiExample(
        "JSON Lines",
        value="".join(json.dumps(event) + "\n" for event in (_HEARTBEAT, _OPENED)),
        media_type="application/x-ndjson",
        request_only=True,
    ),
    OpenApiExample(
        "JSON array", value=[_HEARTBEAT, _OPENED], media_type="application/json", request_only=True
    ),
    OpenApiExample(
        "All in",
        value={"events": [_answer(1, "repeat"), _answer(2, "accepted")], "next_seq": 3},
        response_only=True,
        status_codes=["200"],
    ),
    OpenApiExample(
        "One refused",
        value={
            "events": [
                _answer(2, "accepted"),
                _answer(3, "refused", "bets[0].stake: Expected `int` >= 1 (feed/format)"),
            ],
            "next_seq": 4,
        },
        response_only=True,
        status_codes=["207"],
    ),
    OpenApiExample(
        "Gap",
        value={
            "type": "urn:bluecard:problem:gap",
            "title": "A sequence number is missing",
            "status": 409,
            "detail": "3 was expected, 5 came. Send on from 3.",
            "errors": [
                {
                    "field": "events[0].seq",
                    "rule": "feed/gap",
                    "message": "5 came, 3 was expected; send from there on",
                }
            ],
            "expected_seq": 3,
            "events": [
                _answer(
                    5, "gap", "seq: 5 came, 3 was expected; send from there on (feed/gap)", expected_seq=3
                )
            ],
            "next_seq": 3,
        },
        media_type="application/problem+json",
        response_only=True,
        status_codes=["409"],
    ),
]
