"""What the pages of decisions call things: states, kinds of ruling, remedies, facts of an incident."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tables.words import State

INCIDENT_STATES: Final = {
    "open": State("waits", "pause", _("Waits for a decision")),
    "late": State("wrong", "triangle", _("Over 10 minutes")),
    "ruled": State("done", "tick", _("Decided")),
    "closed": State("void", "tick", _("Closed, nothing to decide")),
}
INCIDENT_SOURCES: Final = {
    "person": _("reported by a person"),
    "api": _("reported by API"),
    "feed": _("reported by the table"),
    "finding": _("found in the feed"),
}
RULING_STATES: Final = {
    "requested": State("waits", "pause", _("Waits for approval")),
    "approved": State("running", "clock", _("Approved, about to start")),
    "applying": State("running", "signal", _("Being carried out")),
    "stopped": State("waits", "pause", _("Stopped")),
    "applied": State("done", "tick", _("Applied")),
    "refused": State("void", "close", pgettext_lazy("ruling", "Refused")),
    "expired": State("void", "clock", pgettext_lazy("ruling", "Expired")),
    "stale": State("wrong", "triangle", _("Overtaken by a change")),
    "withdrawn": State("void", "back", pgettext_lazy("ruling", "Withdrawn")),
}
#: One that is being carried out, of which a round fails.
CANNOT_GO_ON: Final = State("wrong", "triangle", _("Cannot go on"))
CHANGE_STATES: Final = {
    "requested": State("waits", "pause", _("Waits for approval")),
    "approved": State("done", "tick", _("Approved and carried out")),
    "refused": State("void", "close", pgettext_lazy("ruling", "Refused")),
    "expired": State("void", "clock", pgettext_lazy("ruling", "Expired")),
    "withdrawn": State("void", "back", pgettext_lazy("ruling", "Withdrawn")),
}
CHANGE_KINDS: Final = {
    "thresholds": _("Thresholds of a table"),
    "person_link": _("Person behind an account"),
    "role": _("Role of an account"),
    "access": _("Way into an account"),
    "rulebook": _("Rulebook"),
}
CHANGE_ICONS: Final = {
    "thresholds": "chips",
    "person_link": "people",
    "role": "lock",
    "access": "key",
    "rulebook": "book",
}
#: The house's roles by the name of their group.
ROLE_TITLES: Final = {
    "supervisor": _("Floor supervisor"),
    "manager": _("Shift manager"),
    "support": _("Support agent"),
    "auditor": _("Auditor"),
    "administrator": _("Administrator"),
}
#: A ruling as a thing to choose, without naming what it is about.
RULING_KINDS: Final = {
    "stand": _("Let it stand"),
    "void_round": _("Void the round"),
    "void_kinds": _("Void kinds of bet"),
    "re_deal": _("Deal again"),
    "correct": _("Correct the cards"),
    "void_range": _("Void a range of rounds"),
    "void_shoe": _("Void the whole shoe"),
    "replace_shoe": _("Replace the shoe"),
    "reshuffle": _("Reshuffle"),
    "cancel_shoe": _("Cancel the shoe"),
    "close_table": _("Close the table"),
    "reinstate": _("Take a ruling out of force"),
}
KIND_ICONS: Final = {
    "stand": "tick",
    "void_round": "struck",
    "void_kinds": "chips",
    "re_deal": "redo",
    "correct": "pencil",
    "void_range": "struck",
    "void_shoe": "struck",
    "replace_shoe": "shoe",
    "reshuffle": "redo",
    "cancel_shoe": "shoe",
    "close_table": "lock",
    "reinstate": "back",
}
#: What each kind does, for whoever chooses.
KIND_EFFECTS: Final = {
    "stand": _("Settled as dealt; the hold is lifted."),
    "void_round": _("Every bet goes back, what was paid is taken back."),
    "void_kinds": _("The chosen kinds of bet go back, the rest stands."),
    "re_deal": _("The cards are dead, the bets stand, a second deal follows."),
    "correct": _("The cards are put right and the round is settled by them."),
    "void_range": _("Every bet of the rounds goes back."),
    "void_shoe": _("Every bet of every round of the shoe goes back."),
    "replace_shoe": _("The shoe leaves the table, a new one starts. No bet changes."),
    "reshuffle": _("The shoe is shuffled anew. No bet changes."),
    "cancel_shoe": _("The shoe ends here. No bet changes."),
    "close_table": _("The table is closed by a fault. No bet changes."),
    "reinstate": _("What an earlier ruling did is undone: the round pays as without it."),
}
ALSO: Final = {
    "replace_shoe": _("and replace the shoe"),
    "reshuffle": _("and reshuffle"),
    "close_table": _("and close the table"),
}
REMEDIES: Final = {
    "stands": _("Stands, settled as dealt"),
    "void": _("Void, start a new round"),
    "void_insurance": _("Insurance bets are void"),
    "re-deal": _("Dead cards, deal again"),
    "correct": _("Put right and go on"),
    "reuse": _("The card goes on in play"),
    "discard": _("The card is discarded"),
    "rescan": _("Scan the card again"),
    "no_effect": _("No effect"),
    "replace_shoe": _("Replace the shoe"),
    "reshuffle": _("Reshuffle"),
    "close_table": _("Close the table"),
    "manager": _("The manager decides"),
}
REMEDY_ICONS: Final = {
    "void": "struck",
    "void_insurance": "shield",
    "re-deal": "redo",
    "correct": "pencil",
    "replace_shoe": "shoe",
    "reshuffle": "redo",
    "close_table": "lock",
    "manager": "people",
}
DONE_BY: Final = {
    "dealer": _("done by the dealer"),
    "supervisor": _("done by the supervisor"),
    "manager": _("done by the manager"),
}
FACTS: Final = {
    "phase": _("When"),
    "face_seen": _("Face seen"),
    "off_table": _("Fell off the table"),
    "round_running": _("A round is running"),
    "player_card_dealt": _("A card was dealt to the Player"),
    "card_number": _("Which card"),
    "paid_already": _("Paid already"),
    "later_cards_depend": _("Later cards depend on it"),
}
PHASES: Final = {
    "shuffle": _("Shuffle"),
    "start": _("Start of the shoe"),
    "betting": _("Bets open"),
    "dealing": _("Dealing"),
    "insurance": _("Insurance"),
    "after_round": _("After the round"),
}
TOLD: Final = {
    "hold": _("Hold the round"),
    "stand": _("The round stands"),
    "void": _("The round is void"),
    "void_kinds": _("Kinds of bet are void"),
    "re_deal": _("Deal again"),
    "corrected": _("The cards were put right"),
    "shoe_replaced": _("The shoe is replaced"),
    "table_closed": _("The table is closed"),
    "table_opened": _("The table is open"),
    "resume": _("The round counts again"),
}

#: Why a decision or a request was refused, by the rule it breaks; what exactly stands beside it in English.
REFUSALS: Final = {
    "ruling/decided": _("This request was decided already. Nothing more was done."),
    "ruling/withdrawn": _("Who asked for it has withdrawn it. Nothing was done."),
    "ruling/other": _("Only who asked for it can withdraw it."),
    "ruling/expired": _("The time to decide has run out. Ask again."),
    "ruling/stale": _("It changed since it was asked for. It cannot be approved any more: ask again."),
    "ruling/preview": _("What you saw is not what was asked for. Look again."),
    "ruling/four-eyes": _("This takes a second person: who asked for it cannot approve it."),
    "ruling/sign-in": _("The password is wrong or missing: this sum takes a new sign-in."),
    "ruling/reason": _("Say why."),
    "ruling/state": _("It is not in a state that allows this any more."),
    "ruling/one-open": _("Another ruling is open on this round. Decide that one first."),
    "ruling/void": _("The round is void already."),
    "ruling/rounds": _("No round is named that this can be about."),
    "ruling/unseen": _("The face of a card was not seen: key it in at the table first."),
    "ruling/too-many": _("These are more than 500 rounds. Ask for fewer at once."),
    "ruling/one-round": _("This is about one round."),
    "ruling/table": _("These rounds are not of this table."),
    "ruling/shoe": _("No shoe is named."),
    "ruling/shoe-gone": _("The shoe has left the table already."),
    "ruling/whole-shoe": _("A round of this shoe began or ended meanwhile. Look again."),
    "ruling/incident": _("The incident is about something else than this ruling."),
    "ruling/kinds": _("Choose the kinds of bet that are void."),
    "ruling/re-deal": _("This round cannot be dealt again."),
    "ruling/correct": _("These cards cannot be a correction."),
    "ruling/complaint": _("A ruling names a complaint that was upheld."),
    "ruling/reinstate": _("That ruling cannot be taken out of force here."),
    "ruling/no-coup": _("There is no lawful coup that the round could be paid by."),
    "ruling/card-unseen": _("A card had not been seen before: correct the cards instead."),
    "coup/drawing": _("These cards are no lawful coup."),
    "coup/places": _("There is no such place in a coup."),
    "card/form": _("This is no card: say the face that lies there, as 10H."),
    "incident/facts": _("That fact is not known."),
    "incident/unanswered": _("Answer the facts that decide first."),
    "incident/code": _("The rulebook's catalogue has no such incident."),
    "setup/decided": _("This request was decided already. Nothing more was done."),
    "setup/withdrawn": _("Who asked for it has withdrawn it. Nothing was done."),
    "setup/other": _("Only who asked for it can withdraw it."),
    "setup/expired": _("The time to decide has run out. Ask again."),
    "setup/four-eyes": _("This takes a second person: who asked for it cannot approve it."),
    "setup/reason": _("Say why."),
    "setup/own": _("What your own account may do is decided by others."),
    "person/none": _("Your account is linked to no person, so it takes no part in decisions."),
    "round/changed": _("The round changed while you looked. Look again at what it would do now."),
}

#: Why a file was not attached.
ATTACHMENT_REFUSALS: Final = {
    "attachment/empty": _("The file is empty."),
    "attachment/too-large": _("The file is too large."),
    "attachment/kind": _("Only PDF, PNG, JPEG and plain text (UTF-8) are taken; this is none of them."),
    "attachment/markup": _("This is HTML, SVG or XML. Attach a picture, a PDF or plain text."),
    "attachment/pdf": _("This is no PDF of version 1 or 2."),
    "attachment/cut": _("The PDF is cut off, or something follows its end."),
    "attachment/two-in-one": _("The PDF is an archive at the same time."),
    "attachment/locked": _("The PDF is locked by a password."),
    "attachment/active": _("The PDF carries scripts, forms or files. Print it into a new PDF."),
    "attachment/broken": _("The picture is broken or cut off."),
    "attachment/too-many-pixels": _("The picture has too many pixels."),
    "attachment/too-many": _("So many files are attached already that no more fit."),
}

#: What the services note of a ruling's end, as it is stored, and as people read it.
OUTCOMES = (
    (r"stopped between rounds", _("It was stopped between two rounds.")),
    (r"nobody decided in time", _("Nobody decided in time.")),
    (r"the shoe left the table since.*", _("The shoe has left the table since it was asked for.")),
    (r"a round changed since it was asked for", _("A round of it has changed since it was asked for.")),
    (r"(?P<round>\S+) was settled since", _("Round %(round)s was settled since.")),
    (
        r"(?P<round>\S+) is not any more what was approved",
        _("Round %(round)s is no longer what was approved."),
    ),
    (
        r"(?P<round>\S+) was in play and has no result; it is held until it is decided",
        _("Round %(round)s was in play and has no result; it is held until it is decided."),
    ),
    (
        r"(?P<round>\S+) failed (?P<times>\d+) times: (?P<error>.*)",
        _("Round %(round)s failed %(times)s times: %(error)s"),
    ),
)
