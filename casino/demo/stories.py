"""What goes wrong in the demo's day, and what people make of it: a dozen incidents and more, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from audit.models import RulingKind


class End(StrEnum):
    """How far a story has come when the demo is done."""

    CLOSED = "closed"  # the rule changes nothing, so nobody decides
    REPORTED = "reported"
    WAITING = "waiting"
    APPLIED = "applied"
    STOPPED = "stopped"
    REFUSED = "refused"
    EXPIRED = "expired"
    STALE = "stale"


class About(StrEnum):
    """What a story is about: a round of the last shoe, chosen by the seed, or that shoe."""

    ROUND = "round"
    INSURED = "insured"  # a round with accepted insurance bets
    SWAPPED = "swapped"  # a round of which two cards may have been taken for each other
    SHOE = "shoe"
    EARLY = "early"  # the first round of the shoe, asked about before it is settled
    LAST = "last"  # the last round, asked about before it is settled


@dataclass(frozen=True, slots=True)
class Story:
    """One incident, who reports it, what is asked for and what is answered."""

    table: str
    code: str
    about: About
    end: End
    note: str
    reporter: str = "supervisor"
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    kind: RulingKind | None = None  # None: what the rule proposes
    why: str = ""  # where something else is asked for
    decider: str = "manager"
    answer: str = ""


ROUNDS_OF_A_RANGE: Final = 5
DONE_BEFORE_THE_STOP: Final = 2

STORIES: Final = (
    Story(
        "B01",
        "card_dropped_unseen",
        About.ROUND,
        End.APPLIED,
        "The fourth card slid off the table face down; camera 2 does not show its face.",
        answer="Camera 2 seen: the face cannot be read.",
    ),
    Story(
        "B01",
        "card_exposed_while_betting",
        About.ROUND,
        End.WAITING,
        "A red seven showed in the shoe's mouth while bets were open.",
        reporter="supervisor2",
    ),
    Story(
        "B01",
        "dealt_before_insurance_closed",
        About.INSURED,
        End.CLOSED,
        "The dealer drew about a second before the insurance bell.",
    ),
    Story(
        "B01",
        "card_exposed_in_drawing",
        About.ROUND,
        End.REPORTED,
        "The third card was lifted for a moment while it was drawn.",
        reporter="supervisor2",
    ),
    Story(
        "B02",
        "insurance_opened_by_wrong_card",
        About.INSURED,
        End.APPLIED,
        "The fifth card was turned before insurance had been offered, and insurance was then sold on it.",
        reporter="supervisor2",
        decider="manager2",
        answer="Insurance was bought on a card that lay open.",
    ),
    Story(
        "B02",
        "card_dropped_seen",
        About.ROUND,
        End.CLOSED,
        "The second card fell on the table, everybody saw it, play went on with it.",
    ),
    Story(
        "B02",
        "misdeal",
        About.ROUND,
        End.REFUSED,
        "ไพ่ใบที่สองของแบงเกอร์ถูกวางก่อนใบแรก",
        kind=RulingKind.VOID_ROUND,
        why="Both Banker cards came in the wrong order; a void is the fairest.",
        decider="manager2",
        answer="The order of the Banker's two cards changes nothing: the round stands as dealt.",
    ),
    Story(
        "B03",
        "card_misplaced",
        About.SWAPPED,
        End.APPLIED,
        "The fifth and sixth card were laid the wrong way round.",
        kind=RulingKind.CORRECT,
        why="Camera 1 shows which card was drawn first.",
        answer="Seen on camera 1.",
    ),
    Story(
        "B03",
        "two_cards_dealt",
        About.ROUND,
        End.REPORTED,
        "ไพ่สองใบออกจากขอนพร้อมกัน",
        reporter="supervisor2",
    ),
    Story(
        "B04",
        "two_cards_dealt",
        About.ROUND,
        End.APPLIED,
        "Two cards left the shoe together as the third and fourth.",
        decider="manager2",
        answer="Clear on video. The shoe goes.",
    ),
    Story(
        "B04",
        "card_misplaced",
        About.SWAPPED,
        End.WAITING,
        "The screen shows two cards the other way round than they lay.",
        kind=RulingKind.CORRECT,
        why="The screen is right: the cards were scanned as they came.",
    ),
    Story(
        "B04",
        "player_equipment",
        About.ROUND,
        End.CLOSED,
        "A player's tablet lost its line after confirming.",
        reporter="supervisor2",
    ),
    Story(
        "B05",
        "startup_error",
        About.SHOE,
        End.STOPPED,
        "One card too few was burned at the start; found while the last cards were counted.",
        kind=RulingKind.VOID_RANGE,
        why="The first rounds were dealt before the burn was put right.",
        decider="manager2",
        answer="Agreed for these rounds.",
    ),
    Story(
        "B05",
        "system_failure",
        About.ROUND,
        End.WAITING,
        "The video froze from the second card on.",
        reporter="supervisor2",
    ),
    Story(
        "B06",
        "card_exposed_in_drawing",
        About.EARLY,
        End.EXPIRED,
        "A card stood on its edge for some seconds before it was laid down.",
        kind=RulingKind.VOID_ROUND,
        why="Both hands could see it.",
    ),
    Story(
        "B06",
        "shuffle_error",
        About.LAST,
        End.STALE,
        "The shuffle machine reported a jam before this shoe.",
        reporter="supervisor2",
        kind=RulingKind.VOID_ROUND,
        why="To be on the safe side with the last round.",
        answer="Agreed.",
    ),
    Story(
        "B06",
        "card_exposed_in_drawing",
        About.ROUND,
        End.APPLIED,
        "The last card showed its back edge; nobody could read it.",
        reporter="manager",
        kind=RulingKind.STAND,
        why="No face was seen, so nothing changes.",
        answer="Seen by myself at the table.",
    ),
)
