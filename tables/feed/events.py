"""The events a table sends. These types are the format: the reader decodes into them, and the
published JSON Schema is made from them.

Times carry an offset. Cards are written rank, then suit: `10H`. Money is in minor units.
"""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

MAX_EVENT_BYTES = 1024 * 1024
MAX_BETS_PER_EVENT = 5_000
MAX_REQUEST_BYTES = 64 * 1024 * 1024

Identifier = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]
Text = Annotated[str, Meta(max_length=200, pattern=r"^[^\x00]*$")]
TableCode = Annotated[str, Meta(pattern=r"^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{1,5}$")]
Sequence = Annotated[int, Meta(ge=1, le=2**53)]
Moment = Annotated[datetime, Meta(tz=True)]
Face = Annotated[str, Meta(pattern=r"^(A|[2-9]|10|J|Q|K)[SHDC]$", description="rank and suit, as in 10H")]
Source = Literal["scan", "rescan", "keyed"]
CoupPlace = Literal["P1", "B1", "P2", "B2", "P3", "B3"]
Phase = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
BetKind = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Minor = Annotated[int, Meta(ge=1, le=10**15)]
Odds = Annotated[str, Meta(pattern=r"^[0-9]{1,4}(/[1-9][0-9]{0,3})?$", description="odds to one, as in 5/2")]


class Event(Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """What every event says: which it is, of which table, in which place of the order, and when."""

    id: Identifier
    table: TableCode
    seq: Sequence
    at: Moment
    supersedes: Identifier | UnsetType = UNSET


class TableOpened(Event, kw_only=True, tag="table_opened"):
    """The table opens for play."""


class TableClosed(Event, kw_only=True, tag="table_closed"):
    """The table closes; `by_fault` when a system failed."""

    by_fault: bool = False
    reason: Text = ""


class Limit(Struct, forbid_unknown_fields=True):
    """The lowest and highest stake taken."""

    min: Minor
    max: Minor


class LimitsChanged(Event, kw_only=True, tag="limits_changed"):
    """The table shows other limits; `default` is for every bet not named in `bets`."""

    default: Limit
    bets: dict[BetKind, Limit] = {}


class DealerIn(Event, kw_only=True, tag="dealer_in"):
    """A dealer takes the table."""

    dealer: Identifier
    name: Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^[^\x00]*$")]


class Heartbeat(Event, kw_only=True, tag="heartbeat"):
    """The table is alive."""


class ShoeStarted(Event, kw_only=True, tag="shoe_started"):
    """A new shoe is put on the table; `card_set` is what stands on the box its decks came from."""

    shoe: Identifier
    decks: Literal[6, 8] = 8
    card_set: Identifier | UnsetType = UNSET


class CutCardPlaced(Event, kw_only=True, tag="cut_card_placed"):
    """The blue card is cut in; `from_back` cards lie behind it."""

    from_back: Annotated[int, Meta(ge=1, le=415)]


class Burned(Event, kw_only=True, tag="burned"):
    """The first card is turned up (null where the house turns none) and `count` cards are burned."""

    turned: Face | None = None
    count: Annotated[int, Meta(ge=0, le=52)]
    faces: Annotated[list[Face | None], Meta(max_length=52)] = []


class BettingOpened(Event, kw_only=True, tag="betting_opened"):
    """A round begins. `number` is its number in the shoe."""

    round: Identifier
    number: Annotated[int, Meta(ge=1, le=999)]


class PlacedBet(Struct, forbid_unknown_fields=True):
    """One bet whose stake the platform has taken; `at` is when it was placed, if not the event's time."""

    id: Identifier
    player: Identifier
    bet: BetKind
    stake: Minor
    phase: Phase | UnsetType = UNSET
    odds: Odds | UnsetType = UNSET
    at: Moment | UnsetType = UNSET
    confirmed: bool = True


class Bets(Event, kw_only=True, tag="bets"):
    """Bets of the round in play, at most 5,000 in one event and one megabyte."""

    round: Identifier
    bets: Annotated[list[PlacedBet], Meta(min_length=1, max_length=MAX_BETS_PER_EVENT)]


class BetsCancelled(Event, kw_only=True, tag="bets_cancelled"):
    """Bets taken back before the bell. One not yet known is kept and wins when the bet arrives."""

    bets: Annotated[list[Identifier], Meta(min_length=1, max_length=MAX_BETS_PER_EVENT)]


class BettingClosed(Event, kw_only=True, tag="betting_closed"):
    """The bell. Bets placed after this moment are refused."""

    round: Identifier


class CardDealt(Event, kw_only=True, tag="card"):
    """A card came to a place of the coup."""

    round: Identifier
    place: CoupPlace
    card: Face
    source: Source = "scan"
    device: Text = ""


class CardCorrected(Event, kw_only=True, tag="card_corrected"):
    """The card at `place` was read wrongly or lies wrongly: its true face, its true place, or both."""

    round: Identifier
    place: CoupPlace
    card: Face | UnsetType = UNSET
    to: CoupPlace | UnsetType = UNSET
    source: Source = "rescan"
    device: Text = ""


class CardOut(Event, kw_only=True, tag="card_out"):
    """A card left the shoe for no place of the coup; `card` is null where its face was not seen."""

    reason: Literal["discard", "exposed", "dropped", "extra"]
    card: Face | None = None
    source: Source = "scan"
    device: Text = ""


class ScanFailed(Event, kw_only=True, tag="scan_failed"):
    """The scanner could not read the card at `place`; a rescan or a keyed card follows."""

    round: Identifier
    place: CoupPlace
    device: Text = ""


class InsuranceOpened(Event, kw_only=True, tag="insurance_opened"):
    """Insurance is offered; `shown` are the odds the table shows, by kind of bet."""

    round: Identifier
    phase: Phase
    shown: dict[BetKind, Odds] = {}


class InsuranceClosed(Event, kw_only=True, tag="insurance_closed"):
    """The time to insure has ended."""

    round: Identifier
    phase: Phase


class BlueCard(Event, kw_only=True, tag="blue_card"):
    """The blue card came out: in a round, as the discard between two, or in place of a first card."""


class RedealStarted(Event, kw_only=True, tag="redeal_started"):
    """The cards dealt are dead; the round is dealt again under a decision."""

    round: Identifier
    decision: Identifier | UnsetType = UNSET


class RoundResult(Event, kw_only=True, tag="round_result"):
    """What the table itself claims came out."""

    round: Identifier
    outcome: Literal["player", "banker", "tie"]
    player_total: Annotated[int, Meta(ge=0, le=9)]
    banker_total: Annotated[int, Meta(ge=0, le=9)]


class ShoeEnded(Event, kw_only=True, tag="shoe_ended"):
    """The shoe leaves the table."""

    reason: Literal["last_round", "replaced", "cancelled"] = "last_round"
    left: Annotated[int, Meta(ge=0, le=416)] | UnsetType = UNSET


class Incident(Event, kw_only=True, tag="incident"):
    """Somebody at the table says that something went wrong."""

    code: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    round: Identifier | UnsetType = UNSET
    facts: dict[Text, bool | Annotated[int, Meta(ge=-(2**53), le=2**53)] | Text] = {}
    note: Text = ""


EVENT_TYPES: tuple[type[Event], ...] = (
    TableOpened, TableClosed, LimitsChanged, DealerIn, Heartbeat, ShoeStarted, CutCardPlaced, Burned,
    BettingOpened, Bets, BetsCancelled, BettingClosed, CardDealt, CardCorrected, CardOut, ScanFailed,
    InsuranceOpened, InsuranceClosed, BlueCard, RedealStarted, RoundResult, ShoeEnded, Incident,
)  # fmt: skip

AnyEvent = (
    TableOpened | TableClosed | LimitsChanged | DealerIn | Heartbeat | ShoeStarted | CutCardPlaced | Burned
    | BettingOpened | Bets | BetsCancelled | BettingClosed | CardDealt | CardCorrected | CardOut | ScanFailed
    | InsuranceOpened | InsuranceClosed | BlueCard | RedealStarted | RoundResult | ShoeEnded | Incident
)  # fmt: skip

decoder = msgspec.json.Decoder(AnyEvent)
#: Every name that an event may have on its first level.
FIELDS = frozenset({"type"}.union(*(one.__struct_encode_fields__ for one in EVENT_TYPES)))


def event_schema() -> dict:
    """Return the JSON Schema (2020-12) of one event."""
    schema = msgspec.json.schema(AnyEvent)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Table feed event", **schema}
