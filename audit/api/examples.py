"""Examples the OpenAPI document shows beside the shapes."""

from typing import Any

from drf_spectacular.utils import OpenApiExample

from tables.api import examples as play_examples

_ROUND_ID = "B03-20261129-02-041-K"
_RULEBOOK = {"code": "live-commission", "version": 1}
_PLAYER = {"number": 4711, "reference": "P-10001"}
_HASH = "5f0c6b1de8f0b7f5f5d1f0a2a4a8a6c0b1f7f1b9a5d5c3e7f9ab0c1d2e3f4a5b"

INCIDENT = {
    "number": "I-0457",
    "table": "B03",
    "shoe": "B03-20261129-02",
    "round": _ROUND_ID,
    "rulebook": _RULEBOOK,
    "code": "card_dropped_seen",
    "facts": {"face_seen": True, "off_table": True, "round_running": True},
    "remedies": ["void", "replace_shoe"],
    "passage": "live-commission/dropped-card",
    "note": "The fourth card fell beside the dealer's chair.",
    "source": "person",
    "status": "open",
    "is_holding": True,
    "reported_by": "Jintana Sriwan",
    "reported_at": "2026-11-29T14:02:31Z",
    "escalated_at": None,
    "closed_at": None,
}
RULING = {
    "number": "R-0192",
    "uuid": "7d0e8f4c-2f0b-4f0e-9c55-3b1f6a4d2c10",
    "kind": "void_round",
    "table": "B03",
    "shoe": "B03-20261129-02",
    "incident": "I-0457",
    "reinstates": None,
    "facts": {"also": ["replace_shoe"]},
    "passage": "live-commission/dropped-card",
    "is_proposed_by_rule": True,
    "reason": "The card left the table; seen on camera 2.",
    "status": "requested",
    "requested_by": "Jintana Sriwan",
    "requested_at": "2026-11-29T14:03:02Z",
    "expires_at": "2026-11-29T14:33:02Z",
    "preview_hash": _HASH,
    "rounds_count": 1,
    "bets_count": 12,
    "players_count": 9,
    "given_minor": 410000,
    "taken_minor": 95000,
    "decided_by": None,
    "decided_at": None,
    "decision_reason": "",
    "wants_stop": False,
    "outcome_note": "",
    "started_at": None,
    "finished_at": None,
}
DECISION = {
    "id": 8123,
    "table": "B03",
    "kind": "void",
    "round": _ROUND_ID,
    "platform_round": "R-88120",
    "shoe": None,
    "platform_shoe": None,
    "ruling": "R-0192",
    "data": {},
    "decided_at": "2026-11-29T14:04:10Z",
    "delivery": {
        "attempts": 1,
        "due_at": None,
        "acknowledged_at": "2026-11-29T14:04:11Z",
        "last_error": "",
    },
}
DECISIONS = {"items": [DECISION], "after": "8123", "has_more": False}
RULING_DETAIL = RULING | {
    "progress": {
        "rounds": 1,
        "rounds_done": 0,
        "bets": 12,
        "bets_done": 0,
        "given_minor": 0,
        "taken_minor": 0,
    },
    "rounds": [
        {
            "round": _ROUND_ID,
            "base_revision": 1,
            "status": "waiting",
            "is_in_force": False,
            "bets_count": 12,
            "given_minor": 410000,
            "taken_minor": 95000,
            "before_minor": 885000,
            "after_minor": 1200000,
            "applied_at": None,
        }
    ],
    "decisions": [],
}
PREVIEW = {
    "hash": _HASH,
    "rounds": [
        {
            "round": _ROUND_ID,
            "base_revision": 1,
            "bets": 12,
            "bets_changed": 11,
            "players": 9,
            "before_minor": 885000,
            "after_minor": 1200000,
            "given_minor": 410000,
            "taken_minor": 95000,
        }
    ],
    "bets": 12,
    "players": 9,
    "given_minor": 410000,
    "taken_minor": 95000,
    "by_kind": [
        {
            "kind": "banker",
            "bets": 12,
            "before_minor": 885000,
            "after_minor": 1200000,
            "moved_minor": 315000,
        }
    ],
    "by_player": [{"player": _PLAYER, "before_minor": 195000, "after_minor": 100000, "moved_minor": -95000}],
}
NOTICE = {
    "round": _ROUND_ID,
    "ruling": "R-0192",
    "player": _PLAYER,
    "text_en": (
        f"Round {_ROUND_ID} was declared void. Before: Banker wins. Now: void. "
        "Your balance changes by −950.00 THB. Rule: a card that falls off the table voids the round."
    ),
    "text_th": (
        f"รอบ {_ROUND_ID} ถูกประกาศเป็นโมฆะ ผลเดิม: แบงเกอร์ชนะ ผลใหม่: โมฆะ ยอดเงินของท่านเปลี่ยนแปลง −950.00 THB"
    ),
    "moved_minor": -95000,
    "created_at": "2026-11-29T14:04:10Z",
}
COMPLAINT = {
    "number": "C-0031",
    "version": 2,
    "status": "accepted",
    "refusal": "",
    "outcome": "",
    "table": "B03",
    "round": _ROUND_ID,
    "player": _PLAYER,
    "event_kind": "result",
    "event_at": "2026-11-29T14:02:09Z",
    "received_at": "2026-11-30T09:12:40Z",
    "window_ends_at": "2026-11-30T14:02:09Z",
    "answer_due_at": "2026-12-10T09:12:40Z",
    "checks": {
        "played_at": "agrees",
        "table": "agrees",
        "dealer": "differs",
        "round_number": "agrees",
        "player": "agrees",
        "bet": "missing",
    },
    "source": "api",
    "channel": "chat",
    "language": "th",
    "owner": "Pim Wattana",
    "escalated_at": None,
    "answered_at": None,
    "closed_at": None,
    "is_admitted_late": False,
    "merged_into": None,
    "rulings": [],
}
FILED = COMPLAINT | {
    "version": 1,
    "status": "received",
    "owner": None,
    "is_repeat": False,
    "missing": [],
    "did_you_mean": [],
    "not_attached": [],
}
ATTACHMENT = {
    "uuid": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "name": "screen.png",
    "kind": "png",
    "size_bytes": 48_213,
    "sha256": _HASH,
    "added_at": "2026-11-30T09:12:40Z",
}
COMPLAINT_DETAIL = COMPLAINT | {
    "said": {
        "played_at": "2026-11-29T14:01:00Z",
        "zone": "Asia/Bangkok",
        "table": "B03",
        "dealer": "Lin Wei",
        "round": _ROUND_ID,
        "bet": "",
        "disputed": "The Banker stood on five.",
        "contact": "chat 88214",
    },
    "steps": [
        {
            "version": 1,
            "action": "filed",
            "status": "received",
            "by": "key 4f1c2d3e5a6b",
            "at": "2026-11-30T09:12:40Z",
            "text": None,
        },
        {
            "version": 2,
            "action": "accepted",
            "status": "accepted",
            "by": "Pim Wattana",
            "at": "2026-11-30T09:20:03Z",
            "text": None,
        },
    ],
    "video": [
        {
            "camera": "B03",
            "from_at": "2026-11-29T14:01:12Z",
            "to_at": "2026-11-29T14:02:09Z",
            "lapses_at": "2026-11-30T14:02:09Z",
            "status": "held",
            "asked_at": "2026-11-30T09:12:40Z",
            "answered_at": "2026-11-30T09:12:41Z",
        }
    ],
    "attachments": [ATTACHMENT],
}
ANSWERS = {
    "items": [
        {
            "complaint": "C-0031",
            "version": 6,
            "channel": "chat",
            "language": "th",
            "status": "rejected",
            "answered_at": "2026-12-01T08:15:30Z",
        }
    ],
    "after": "412",
    "has_more": False,
}
WHOLE_LOOKUP: dict[str, Any] = {
    "hits": [
        {"kind": "round", "label": _ROUND_ID, "is_exact": True, "address": f"/api/v1/rounds/{_ROUND_ID}"}
    ],
    "slip": None,
    "suggestions": [],
    "message": "",
    "about": {
        "round": play_examples.ROUND_DETAIL,
        "settlements": [play_examples.SETTLEMENT],
        "incidents": [INCIDENT],
        "rulings": [RULING],
        "notices": [NOTICE],
        "complaints": [COMPLAINT],
        "video": {
            "camera": "B03",
            "from_at": "2026-11-29T14:01:12Z",
            "to_at": "2026-11-29T14:02:09Z",
            "expires_at": "2026-11-30T14:02:09Z",
            "holds": COMPLAINT_DETAIL["video"],
        },
    },
}

CHECKPOINT = {
    "size": 3,
    "root_hash": "98I01xrHgdD3mKIWclTfinvD0mJPLAFuAQjUpjkXc7k=",
    "note": (
        "bluecard.example/journal\n"
        "3\n"
        "98I01xrHgdD3mKIWclTfinvD0mJPLAFuAQjUpjkXc7k=\n"
        "\n"
        "— bluecard.example/journal uaT8OUDz1H4x0vvMnCOqL1V0OSGWn+DObG/LJysV/qocPlifw4qWU"
        "erqkQGXRe5Bctp1d2uurgJMf7u/Dv1QZQs+Swc=\n"
    ),
    "sealed_at": "2026-11-29T14:04:11Z",
}
INCLUSION = {
    "entry": 8100,
    "leaf": 2,
    "body": (
        '{"action":"table.opened","actor":["feed","B03"],"at":"2026-11-29T14:04:10.000000'
        'Z","data":{},"request":"","salt":"00112233445566778899aabbccddeeff","subject":["'
        'gametable",3,"B03"],"v":2}'
    ),
    "proof": ["OuW/pX/6dp2WNKhvOiYoaqaf1Q6gWF+AYfkCrV8DJ/c="],
    "checkpoint": CHECKPOINT,
}
GROWTH = {"old_size": 2, "proof": ["NXDp4XgvLdL0LUEuqueSW0BrWc1fHKqpsPRVYjRGP3Y="], "checkpoint": CHECKPOINT}


PACK = {
    "number": "E-0012",
    "kind": "round",
    "about": _ROUND_ID,
    "names_players": True,
    "status": "ready",
    "step": 3,
    "stated_at": "2026-11-29T14:30:00Z",
    "finished_at": "2026-11-29T14:30:04Z",
    "size_bytes": 184_220,
    "sha256": _HASH,
    "problem": "",
}


def shown(value: dict[str, Any], status: int = 200) -> list[OpenApiExample]:
    """Show one thing as the answer of an operation."""
    return [OpenApiExample("Example", value=value, response_only=True, status_codes=[str(status)])]


def shown_page(value: dict[str, Any]) -> list[OpenApiExample]:
    """Show one thing as the only one of a page."""
    return shown({"items": [value], "next": None})
