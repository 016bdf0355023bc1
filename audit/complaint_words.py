"""What the pages of complaints and video call things."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tables.words import State

COMPLAINT_STATES: Final = {
    "received": State("waits", "clock", pgettext_lazy("complaint", "Received")),
    "waiting": State("waits", "pause", _("Waits for information")),
    "accepted": State("running", "tick", _("Accepted")),
    "refused": State("void", "close", pgettext_lazy("complaint", "Refused")),
    "under_review": State("running", "search", _("Under review")),
    "upheld": State("corrected", "scales", _("Upheld")),
    "rejected": State("void", "close", _("Rejected")),
    "closed": State("done", "tick", pgettext_lazy("complaint", "Closed")),
}
REFUSED_BECAUSE: Final = {
    "incomplete": _("A required detail is missing"),
    "unknown_round": _("There is no such round"),
    "late": _("It came too late"),
    "by_agent": _("Refused by an agent"),
}
OUTCOMES: Final = {"upheld": _("Upheld"), "rejected": _("Rejected")}
EVENTS: Final = {
    "result": pgettext_lazy("disputed event", "result"),
    "void": pgettext_lazy("disputed event", "void"),
    "correction": pgettext_lazy("disputed event", "correction"),
}
CHANNELS: Final = {
    "chat": _("Live chat"),
    "mail": _("Mail"),
    "phone": _("Telephone"),
    "desk": _("At the desk"),
}
LANGUAGES: Final = {"en": "English", "th": "ไทย"}
DETAILS: Final = {
    "played_at": _("Date and time"),
    "table": _("Table"),
    "dealer": _("Dealer"),
    "round_number": _("Round"),
    "player": pgettext_lazy("person", "Player"),
    "bet": _("Bet"),
}
MATCHES: Final = {
    "agrees": State("done", "tick", _("Agrees")),
    "differs": State("waits", "triangle", _("Differs")),
    "missing": State("void", "info", _("Not said")),
    "unknown": State("void", "info", _("Nothing to compare")),
}
ASK_AGAIN: Final = {
    "played_at": _("Ask again for the time of play."),
    "table": _("Ask again for the table."),
    "dealer": _("Ask again for the dealer’s name."),
    "round_number": _("Ask again for the round number."),
    "player": _("This player has no bet in the round."),
    "bet": _("This bet is not this player’s in the round."),
}
ACTIONS: Final = {
    "filed": pgettext_lazy("complaint", "Received"),
    "information": _("Further details taken down"),
    "waited": _("Waits for information"),
    "accepted": _("Accepted"),
    "refused": pgettext_lazy("complaint", "Refused"),
    "reviewed": _("Review begun"),
    "upheld": _("Upheld"),
    "rejected": _("Rejected"),
    "closed": pgettext_lazy("complaint", "Closed"),
    "reopened": _("Opened again"),
    "admitted": _("Admitted late, by two persons"),
    "merged": _("Merged"),
    "noted": _("Note"),
    "assigned": _("Given to a colleague"),
    "escalated": _("Escalated: the answer is due"),
    "answered": _("Answered"),
}
TEMPLATE_NAMES: Final = {
    "accepted": _("We look into it"),
    "information": _("We need more"),
    "incomplete": _("Refused: incomplete"),
    "unknown_round": _("Refused: no such round"),
    "late": _("Refused, without explanation"),
    "by_agent": pgettext_lazy("complaint", "Refused"),
    "upheld": _("Upheld"),
    "rejected": _("Rejected"),
}
#: What the recorder may say of a hold that it does not keep, as it says it.
RECORDER_REASONS: Final = {
    "recorded over after 24 hours": _("It was recorded over after 24 hours."),
    "that is still to come": _("That is still to come."),
    "the camera was off": _("The camera was off."),
    "this hold was released": _("This hold was released."),
}
VIDEO_STATES: Final = {
    "asked": State("waits", "clock", pgettext_lazy("video", "Hold asked")),
    "held": State("running", "lock", _("Kept by hold")),
    "refused": State("wrong", "triangle", _("Hold refused")),
    "lapsed": State("wrong", "triangle", _("Lapsed")),
    "releasing": State("waits", "clock", _("Being released")),
    "released": State("void", "tick", _("Released")),
}
CONSENT_STATES: Final = {
    "requested": State("waits", "pause", _("Waits for a second person")),
    "approved": State("done", "tick", _("Consented")),
    "refused": State("void", "close", pgettext_lazy("consent", "Refused")),
    "expired": State("void", "clock", pgettext_lazy("consent", "Expired")),
    "withdrawn": State("void", "back", pgettext_lazy("consent", "Withdrawn")),
}
CONSENT_KINDS: Final = {
    "late_complaint": _("Admit a late complaint"),
    "video_release": _("Release a hold on video"),
}
#: Why nothing was done, by the rule; what exactly stands beside it in English.
REFUSALS: Final = {
    "complaint/changed": _("Somebody was quicker. What you typed is still here; look at what changed."),
    "complaint/state": _("It is not in a state for this."),
    "complaint/reason": _("Say it in words."),
    "complaint/answer": _("It has no answer yet, or there is nothing to answer."),
    "complaint/reopen": _("It is closed. Say why it is opened again."),
    "complaint/late": _("It came too late. Admitting it takes two persons."),
    "complaint/incomplete": _("A required detail is missing. Take down what the player says further first."),
    "complaint/round": _("It names no round that was played."),
    "complaint/merged": _("It goes on as another complaint."),
    "complaint/merge": _("These two are not about the same round and player."),
    "complaint/unknown": _("There is no such complaint."),
    "complaint/owner": _("That account may not handle complaints."),
    "complaint/length": _("That is too long."),
    "complaint/text": _("That holds what is no text."),
    "complaint/empty": _("Say at least what is disputed."),
    "complaint/time": _(
        "The date and time of play is not understood. Write it as year-month-day and hour:minute, such as"
        " 2026-11-29 20:48."
    ),
    "complaint/zone": _("The time zone is not understood. Write it by its name, such as Asia/Bangkok."),
    "complaint/key": _("This form was sent already, with another text."),
    "video/alarm": _("There is no alarm here, or somebody has taken note of it already."),
    "consent/late": _("It was not refused for being late."),
    "consent/held": _("Nothing is held there."),
    "consent/asked": _("A second person was asked already."),
    "consent/four-eyes": _("This takes a second person: who asked for it cannot consent."),
    "consent/decided": _("This was decided already. Nothing more was done."),
    "consent/withdrawn": _("Who asked for it has withdrawn it. Nothing was done."),
    "consent/other": _("Only who asked for it can withdraw it."),
    "consent/expired": _("The time to decide has run out. Ask again."),
    "consent/reason": _("Say why."),
}
