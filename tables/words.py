"""What the pages call things: a state is icon + word + colour; kinds, reasons and findings are words.

The words are message ids, translated where they are shown.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class State(NamedTuple):
    """How a state is shown. The tone is one of done, waits, wrong, running, void, corrected."""

    tone: str
    icon: str
    word: str | Promise


ROUND_STATES: Final = {
    "betting": State("running", "chips", _("Betting")),
    "dealing": State("running", "signal", _("Dealing")),
    "insurance": State("running", "shield", _("Insurance")),
    "resulted": State("waits", "clock", _("Waits to settle")),
    "settled": State("done", "tick", _("Settled")),
    "voided": State("void", "struck", _("Void")),
    "held": State("waits", "pause", _("Held")),
    "disputed": State("waits", "flag", _("Disputed")),
}
#: What a round is shown as while a hold is open on it; no state of its own.
ROUND_STATES_OF_A_HOLD: Final = frozenset({"held", "disputed"})
STILL_OWED: Final = State("waits", "clock", _("Still owed"))
RECEIVABLE_ENDS: Final = {
    "paid_back": State("done", "tick", _("Paid back")),
    "written_off": State("void", "struck", _("Written off")),
}
LAST_ROUND_OVER: Final = _("Last round over")
FEED_GAP: Final = _("Gap in the feed")
SHOE_STATES: Final = {
    "open": State("running", "signal", _("In play")),
    "ended": State("done", "tick", _("Ended")),
    "replaced": State("void", "redo", _("Replaced")),
    "cancelled": State("void", "struck", _("Cancelled")),
}
TABLE_STATES: Final = {
    "open": State("running", "signal", _("Open")),
    "closed": State("void", "lock", _("Closed")),
    "closed_by_fault": State("wrong", "triangle", _("Closed by a fault")),
}
BET_STATES: Final = {
    "accepted": State("done", "tick", _("Accepted")),
    "refused": State("void", "close", _("Refused")),
    "cancelled": State("void", "struck", _("Cancelled")),
}
EVENT_STATES: Final = {
    "accepted": State("done", "tick", _("Accepted")),
    "refused": State("wrong", "triangle", _("Refused")),
}
#: What a table tells, by the `type` of the event: the feed's own name stands beside it.
EVENT_TYPES: Final = {
    "table_opened": _("Table opened"),
    "table_closed": _("Table closed"),
    "limits_changed": _("Limits changed"),
    "dealer_in": _("Dealer sits down"),
    "heartbeat": _("Sign of life"),
    "shoe_started": _("Shoe started"),
    "cut_card_placed": _("Blue card cut in"),
    "burned": _("Burn"),
    "betting_opened": _("Betting opened"),
    "bets": _("Bets"),
    "bets_cancelled": _("Bets taken back"),
    "betting_closed": _("Betting closed"),
    "card": _("Card dealt"),
    "card_corrected": _("Card corrected"),
    "card_out": _("Card out of play"),
    "scan_failed": _("Card not read"),
    "insurance_opened": _("Insurance opened"),
    "insurance_closed": _("Insurance closed"),
    "blue_card": _("Blue card out"),
    "redeal_started": _("Dealt again"),
    "round_result": _("Result"),
    "shoe_ended": _("Shoe ended"),
    "incident": _("Incident"),
}
#: Cities after which zones are named; another zone goes by the name that the world's list gives it.
ZONE_CITIES: Final = {
    "Asia/Bangkok": _("Bangkok"),
    "Asia/Ho_Chi_Minh": _("Ho Chi Minh"),
    "Asia/Hong_Kong": _("Hong Kong"),
    "Asia/Jakarta": _("Jakarta"),
    "Asia/Kuala_Lumpur": _("Kuala Lumpur"),
    "Asia/Macau": _("Macau"),
    "Asia/Manila": _("Manila"),
    "Asia/Phnom_Penh": _("Phnom Penh"),
    "Asia/Seoul": _("Seoul"),
    "Asia/Singapore": _("Singapore"),
    "Asia/Tokyo": _("Tokyo"),
    "Asia/Vientiane": _("Vientiane"),
    "Asia/Yangon": _("Yangon"),
    "Europe/Berlin": _("Berlin"),
    "Europe/London": _("London"),
}
RESULT_STATES: Final = {
    "won": State("done", "tick", _("won")),
    "lost": State("", "close", _("lost")),
    "push": State("waits", "pause", _("push")),
    "void": State("void", "struck", _("void")),
    "open": State("running", "clock", pgettext_lazy("undecided", "open")),
}
DELIVERY_STATES: Final = {
    "waiting": State("waits", "clock", _("On the way")),
    "credited": State("done", "tick", _("Credited")),
    "taken_back": State("done", "tick", _("Taken back")),
    "forced": State("done", "tick", _("Taken back, forced")),
    "dead": State("wrong", "triangle", _("Given up")),
    "closed": State("done", "tick", _("Settled by hand")),
}
#: Why a wallet message waits for a person; the empty answer is none in 24 hours of trying.
GIVEN_UP_BECAUSE: Final = {
    "refused": _("Refused"),
    "insufficient": _("Too little money"),
    "conflict": _("Key used for something else"),
    "": _("No answer"),
}
#: What the wallet said of a message; the last is a person's word in its place.
WALLET_ANSWERS: Final = {
    **GIVEN_UP_BECAUSE,
    "applied": _("Booked by the wallet"),
    "duplicate": _("Booked by the wallet before"),
    "by_hand": _("Settled by hand"),
    "": "–",
}
DEBIT_POLICIES: Final = {
    "force": _("Force the debit"),
    "take": _("Take what is there, the rest is owed"),
    "hold": _("Hold for a person"),
}
RECONCILIATION_STATES: Final = {
    "waiting": State("waits", "clock", _("Waits")),
    "running": State("running", "signal", _("Comparing")),
    "agrees": State("done", "tick", _("All agrees")),
    "drift": State("wrong", "triangle", _("Drift")),
    "failed": State("wrong", "close", _("Failed")),
}
DRIFT_KINDS: Final = {
    "missing_there": _("We say delivered, the wallet does not know it"),
    "unknown_here": _("The wallet booked what Bluecard never wrote"),
    "given_up_here": _("The wallet booked what was given up here"),
    "amount": _("The amounts differ"),
    "player": _("Booked for another player"),
    "twice": _("The wallet booked it more than once"),
}
HOLD_STATES: Final = {
    "open": State("waits", "pause", _("Holds the round")),
    "lifted": State("done", "tick", _("Lifted")),
    "noted": State("running", "info", _("Noted")),
}
LEDGER_STATES: Final = {
    "adds_up": State("done", "tick", _("Adds up")),
    "differs": State("wrong", "triangle", _("Does not add up")),
}
VERSION_STATES: Final = {
    "in_force": State("done", "tick", _("In force")),
    "later": State("waits", "clock", _("Comes into force later")),
    "past": State("void", "struck", _("No longer in force")),
}
RANK_STATES: Final = {
    "usual": State("done", "tick", _("Nothing unusual")),
    "unusual": State("waits", "triangle", _("Unusual")),
}

OUTCOMES: Final = {"player": _("Player"), "banker": _("Banker"), "tie": _("Tie")}
OUTCOME_LETTERS: Final = {"player": "P", "banker": "B", "tie": "T"}
WINNERS: Final = {"player": _("Player wins"), "banker": _("Banker wins"), "tie": _("Tie")}

BET_KINDS: Final = {
    "player": _("Player"),
    "banker": _("Banker"),
    "tie": _("Tie"),
    "player_pair": _("Player Pair"),
    "banker_pair": _("Banker Pair"),
    "big": _("Big"),
    "small": _("Small"),
    "player_natural_8": _("Player Natural 8"),
    "player_natural_9": _("Player Natural 9"),
    "banker_natural_8": _("Banker Natural 8"),
    "banker_natural_9": _("Banker Natural 9"),
    "super_6_plus": _("Super 6+"),
    "dragon_player": _("Dragon Bonus, Player"),
    "dragon_banker": _("Dragon Bonus, Banker"),
    "fortune_six": _("Fortune Six"),
    "tiger": _("Tiger"),
    "big_tiger": _("Big Tiger"),
    "small_tiger": _("Small Tiger"),
    "tiger_tie": _("Tiger Tie"),
    "tiger_pair": _("Tiger Pair"),
    "player_insurance": _("Player insurance"),
    "banker_insurance": _("Banker insurance"),
}
PHASES: Final = {"four_cards": _("after four cards"), "player_third": _("after the Player's third card")}

REFUSALS: Final = {
    "bad_stake": _("stake out of range"),
    "bet_not_in_rulebook": _("no such bet in this rulebook"),
    "outside_window": _("outside the bet's window"),
    "both_sides": _("bet on both sides"),
    "no_main_bet": _("no main bet"),
    "insurance_not_offered": _("insurance not offered"),
    "insurance_over_cap": _("insurance above its cap"),
    "outside_limits": _("outside the table's limits"),
    "before_betting": _("before betting opened"),
    "after_bell": _("after the bell"),
    "not_confirmed": _("not confirmed"),
}

TRANSACTION_KINDS: Final = {
    "credit": _("Credit"),
    "adjustment": _("Adjustment"),
    "cancel": _("Cancel"),
    "rollback": _("Rollback"),
}
CARD_SOURCES: Final = {"scan": _("scan"), "rescan": _("second scan"), "keyed": _("keyed")}
CARD_ORDINALS: Final = {
    1: _("1st card"),
    2: _("2nd card"),
    3: _("3rd card"),
    4: _("4th card"),
    5: _("5th card"),
    6: _("6th card"),
}
SUITS: Final = {"S": _("spades"), "H": _("hearts"), "D": _("diamonds"), "C": _("clubs")}
RANKS: Final = {"A": _("ace"), "J": _("jack"), "Q": _("queen"), "K": _("king")}
WHEREABOUTS: Final = {
    "turned": _("turned"),
    "burned": _("burned"),
    "in_round": _("in rounds"),
    "dead_deal": _("dead deals"),
    "discard": _("discards"),
    "exposed": _("exposed"),
    "extra": _("extra"),
    "dropped": _("dropped"),
    "left": _("left"),
}

#: What the details of findings are called.
DETAILS: Final = {
    "banker_total": _("Banker's total"),
    "because": _("because of"),
    "bet": _("bet"),
    "bets": _("bets"),
    "burned": _("burned"),
    "card": _("card"),
    "claimed": _("the table says"),
    "code": _("code"),
    "copies": _("copies"),
    "count": _("count"),
    "counted": _("counted"),
    "decision": _("decision"),
    "device": _("device"),
    "done": _("done"),
    "due": _("due"),
    "earlier_shoe": _("earlier shoe"),
    "error": _("error"),
    "event_id": _("event"),
    "expected": _("expected"),
    "expected_seq": _("sequence number expected"),
    "face": _("face"),
    "facts": _("facts"),
    "fault": _("what is wrong"),
    "incident": _("incident"),
    "last_round": _("last round"),
    "left": _("left in the shoe"),
    "new_card": _("new card"),
    "note": _("note"),
    "number": _("number"),
    "offered": _("by the rulebook"),
    "ours": _("the cards say"),
    "out_before": _("cards out before it"),
    "phase": _("phase"),
    "place": _("place"),
    "player_total": _("Player's total"),
    "reason": _("reason"),
    "rule": _("passage"),
    "seen_seq": _("sequence number that came"),
    "seq": _("sequence number"),
    "shown": _("shown"),
    "to": _("to"),
    "turned": _("turned"),
    "type": _("type"),
}
#: Detail -> what its codes are called; the app above adds the facts of incidents.
DETAIL_VALUES: Final[dict[str, Mapping[str, Any]]] = {
    "bet": BET_KINDS,
    "face": {"seen": _("seen"), "unseen": _("unseen")},
    "fault": {
        "missing_initial_cards": _("one of the first four cards is missing"),
        "missing_player_third": _("the Player's third card is missing"),
        "missing_banker_third": _("the Banker's third card is missing"),
        "extra_card": _("a card too many"),
        "unknown_card": _("there is no such card"),
        "too_many_copies": _("more copies of a card than there are decks"),
    },
    "phase": PHASES,
}

FINDINGS: Final = {
    "bets_after_bell": _("Bets came after the bell"),
    "bets_after_result": _("Bets came after the result"),
    "bets_outside_limits": _("Bets outside the table's limits"),
    "bets_outside_window": _("Bets outside their window"),
    "duplicate_bet_id": _("A bet ID came twice"),
    "insurance_over_cap": _("Insurance above its cap"),
    "blue_card_elsewhere": _("The blue card came out elsewhere than it was cut in"),
    "burn_differs": _("Burned cards differ from what the turned card asks"),
    "burn_first_card_missing": _("No turned card, though it decides the burn"),
    "burn_not_recorded": _("The burn was not recorded before play"),
    "card_count": _("More cards than the shoe holds"),
    "claim_differs": _("The table's result differs from ours"),
    "corrected_after_result": _("A card was corrected after the result"),
    "cut_card_not_recorded": _("No cut position of the blue card"),
    "dealt_before_insurance_closed": _("Dealt before insurance closed"),
    "dealt_past_last_round": _("Dealt past the last round"),
    "deck_order_not_shuffled": _("Cards lie as they left the factory"),
    "deck_order_repeated": _("Cards in the order of an earlier shoe"),
    "event_refused": _("An event of this round was refused"),
    "feed_gap": _("Events are missing from the feed"),
    "illegal_card": _("A card the drawing table does not give"),
    "illegal_coup": _("The cards are no lawful coup"),
    "incident_reported": _("The table reports an incident"),
    "insurance_not_due": _("Insurance opened where none is due"),
    "insurance_odds_missing": _("Insurance odds were not shown"),
    "insurance_on_wrong_card": _("A card was put right after insurance was sold on it"),
    "insurance_odds_wrong": _("Wrong insurance odds were shown"),
    "redeal_without_decision": _("Dealt again without a decision"),
    "round_number_skipped": _("A round number was skipped"),
    "round_without_result": _("The round ended without a result"),
    "scan_failed": _("The scanner did not read a card"),
    "shoe_in_doubt": _("Begun while a ruling about its shoe was open"),
    "system_failure": _("A system failed during the round"),
    "too_many_copies": _("More copies of a card than there are decks"),
}


#: Why a shoe left its table: as the table says it, or as a ruling notes it.
SHOE_ENDINGS: Final[dict[str, Promise]] = {
    "last_round": _("after the last round"),
    "replaced": _("replaced"),
    "cancelled": _("cancelled"),
    "replaced by ruling": _("replaced by ruling"),
    "reshuffled by ruling": _("reshuffled by ruling"),
    "cancelled by ruling": _("cancelled by ruling"),
}


def spoken(words: Mapping[Any, Any], code: Any) -> str:
    """Return the word for a code, or the code made readable where nobody has put it into words."""
    word = words.get(code)
    return str(word) if word is not None else str(code).replace("_", " ")
