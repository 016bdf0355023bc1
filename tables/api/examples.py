"""Examples the OpenAPI document shows beside the shapes."""

import json
from typing import Any

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
    OpenApiExample("JSON array", value=_OPENED, media_type="application/json", request_only=True),
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


_RULEBOOK = {"code": "live-commission", "version": 1}
_DEALER = {"reference": "D-07", "name": "Mali Chantara"}
_PLAYER = {"number": 4711, "reference": "P-10001"}
_ROUND_ID = "B03-20261129-02-041-K"

TABLE = {
    "code": "B03",
    "name": "Baccarat 3",
    "status": "open",
    "currency": "THB",
    "zone": "Asia/Bangkok",
    "gaming_day_starts_hour": 6,
    "is_animation": False,
    "rulebook": _RULEBOOK,
    "min_stake_minor": 10000,
    "max_stake_minor": 100000000,
    "bet_limits": {"tie": [10000, 5000000]},
}
FEED = {
    "table": "B03",
    "status": "open",
    "next_seq": 1842,
    "gap": {"first_seq": 1842, "seen_seq": 1844},
    "last_event_at": "2026-11-29T14:02:11Z",
    "last_heartbeat_at": "2026-11-29T14:02:00Z",
    "dealer": _DEALER,
    "shoe": "B03-20261129-02",
    "round": _ROUND_ID,
}
SHOE = {
    "id": "B03-20261129-02",
    "platform_id": "S-2291",
    "table": "B03",
    "rulebook": _RULEBOOK,
    "gaming_date": "2026-11-29",
    "number": 2,
    "decks": 8,
    "card_set": "RED-041",
    "status": "open",
    "started_at": "2026-11-29T12:40:00Z",
    "ended_at": None,
    "end_reason": "",
    "cut_from_back": 14,
    "burn_due": 0,
    "burn_done": 0,
    "cards_out": 203,
    "blue_card_at": None,
    "blue_card_after": None,
    "last_round_number": None,
}
ROUND = {
    "id": _ROUND_ID,
    "platform_id": "R-88120",
    "table": "B03",
    "shoe": "B03-20261129-02",
    "number": 41,
    "window_number": 41,
    "rulebook": _RULEBOOK,
    "dealer": _DEALER,
    "status": "settled",
    "betting_opened_at": "2026-11-29T14:01:20Z",
    "betting_closed_at": "2026-11-29T14:01:45Z",
    "resulted_at": "2026-11-29T14:02:05Z",
    "settled_at": "2026-11-29T14:02:05Z",
    "outcome": "banker",
    "player_total": 2,
    "banker_total": 7,
}
_CARDS = [("P1", "KS"), ("B1", "4H"), ("P2", "2D"), ("B2", "3C"), ("P3", "10S")]
ROUND_DETAIL = ROUND | {
    "claimed": {"outcome": "banker", "player_total": 2, "banker_total": 7},
    "deals": [
        {
            "number": 1,
            "is_live": True,
            "started_at": "2026-11-29T14:01:45Z",
            "died_at": None,
            "cards": [
                {
                    "place": place,
                    "card": card,
                    "position": position,
                    "source": "scan",
                    "at": "2026-11-29T14:01:50Z",
                    "was": None,
                }
                for position, (place, card) in enumerate(_CARDS, start=199)
            ],
            "due": None,
            "problem": None,
            "reasons": ["The Player has 2 and draws.", "The Banker has 7 and stands."],
        }
    ],
    "findings": [],
    "holds": [],
}
BET = {
    "id": "bet-5550001",
    "round": _ROUND_ID,
    "player": _PLAYER,
    "bet": "banker",
    "phase": "",
    "stake_minor": 100000,
    "odds_offered": "",
    "odds_shown": "",
    "status": "accepted",
    "refusal": "",
    "placed_at": "2026-11-29T14:01:30Z",
    "settled": {"revision": 1, "result": "won", "returned_minor": 195000},
}
SETTLEMENT = {
    "id": 9071,
    "round": _ROUND_ID,
    "revision": 1,
    "deal": 1,
    "rulebook": _RULEBOOK,
    "authority": None,
    "outcome": "banker",
    "verdicts": [{"kind": "banker", "phase": "", "result": "won", "odds": "19/20", "offered": None}],
    "bets_count": 1,
    "players_count": 1,
    "stakes_minor": 100000,
    "returned_minor": 195000,
    "kept_minor": -95000,
    "moved_minor": 195000,
    "created_at": "2026-11-29T14:02:05Z",
}
LINE = {
    "bet": "bet-5550001",
    "player": _PLAYER,
    "kind": "banker",
    "phase": "",
    "stake_minor": 100000,
    "result": "won",
    "returned_minor": 195000,
    "moved_minor": 195000,
}
TRANSACTION = {
    "id": 30511,
    "key": f"{_ROUND_ID}/1/4711",
    "round": _ROUND_ID,
    "revision": 1,
    "player": _PLAYER,
    "kind": "credit",
    "amount_minor": 195000,
    "currency": "THB",
    "bets": ["bet-5550001"],
    "created_at": "2026-11-29T14:02:05Z",
    "delivery": {
        "status": "delivered",
        "attempts": 1,
        "answered_at": "2026-11-29T14:02:06Z",
        "answer": "applied",
    },
    "owed_minor": 0,
}

LOOKUP = {
    "hits": [],
    "slip": "mistyped",
    "suggestions": [
        {"kind": "round", "label": _ROUND_ID, "is_exact": True, "address": f"/api/v1/rounds/{_ROUND_ID}"}
    ],
    "message": "B03-20261129-02-014-K: the check character does not fit, so one of the characters is wrong",
}


def shown(value: dict[str, Any]) -> list[OpenApiExample]:
    """Show one thing as the answer of an operation."""
    return [OpenApiExample("Example", value=value, response_only=True, status_codes=["200"])]


def shown_page(value: dict[str, Any]) -> list[OpenApiExample]:
    """Show one thing as the only one of a page."""
    return shown({"items": [value], "next": None})
