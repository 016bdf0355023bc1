"""What the journal's actions about questions and decisions are called where people read them."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from audit import complaint_words, words
from tables import journal_words
from tables import words as table_words

ACTIONS: Final = {
    "attachment.added": _("A file was attached"),
    "attachment.erased": _("An attached file was erased"),
    "attachment.opened": _("An attached file was fetched"),
    "complaint.seen": _("Somebody looked at the complaint"),
    "consent.approved": _("A second person consented"),
    "consent.expired": _("Nobody consented in time"),
    "consent.refused": _("A second person refused"),
    "consent.requested": _("A second person was asked"),
    "consent.withdrawn": _("Who asked a second person withdrew the request"),
    "decision.acknowledged": _("The table acknowledged what it was told"),
    "evidence.asked": _("The evidence pack was asked for"),
    "evidence.failed": _("The evidence pack could not be made"),
    "evidence.fetched": _("The evidence pack was fetched"),
    "evidence.made": _("The evidence pack was made"),
    "incident.escalated": _("The incident was escalated"),
    "incident.found": _("The incident was found in the feed"),
    "incident.reported": _("The incident was reported"),
    "person.entered": _("The person was entered"),
    "player.erased": _("The player's personal data were erased"),
    "player.hold_lifted": _("The legal hold was lifted"),
    "player.hold_placed": _("A legal hold was placed"),
    "player.seen": _("Somebody looked at the player's data"),
    "players.seen": _("Somebody looked at players' data"),
    "ruling.requested": _("The ruling was asked for"),
    "ruling.approved": _("The ruling was approved"),
    "ruling.applied": _("The ruling was carried out"),
    "ruling.resumed": _("The ruling goes on"),
    "ruling.signed_in": _("Who decides signed in again"),
    "ruling.stop_asked": _("Somebody asked to stop the ruling"),
    "setup.approved": _("The change was approved and carried out"),
    "setup.refused": _("The change was refused"),
    "setup.requested": _("The change was asked for"),
    "setup.withdrawn": _("Who asked for the change withdrew it"),
    "table_webhook.removed": _("The table's webhook was removed"),
    "table_webhook.set": _("The table's webhook was set"),
    "video.alarm": _("The video was gone before the recorder answered"),
    "video.asked": _("The recorder was asked to hold the video"),
    "video.noted": _("Somebody took note that the video is not kept"),
    "video.releasing": _("The recorder was told to release the video"),
}
FIELDS: Final = {
    "admission": _("Let in by consent"),
    "answer_due_at": _("Answer due"),
    "by": _("By"),
    "complaint": _("Complaint"),
    "event_kind": _("Disputed event"),
    "event_at": _("End of the disputed event"),
    "given_minor": _("Given to players"),
    "incident": _("Incident"),
    "language": _("Language"),
    "owner": _("Owner"),
    "merged_into": _("Goes on as"),
    "refusal": _("Refused because"),
    "table": _("Table"),
    "taken_minor": _("Taken from players"),
    "window_ends_at": _("Could be received until"),
}

journal_words.ACTIONS.update(ACTIONS)
#: The facts that a table's own report of an incident states, as its finding shows them.
table_words.DETAILS.update({name: word for name, word in words.FACTS.items() if name != "phase"})
table_words.DETAIL_VALUES["phase"] = {**table_words.DETAIL_VALUES["phase"], **words.PHASES}
journal_words.FIELDS.update(FIELDS)
journal_words.FIELDS.update({f"checks.{name}": word for name, word in complaint_words.DETAILS.items()})
journal_words.VALUES.update(
    {
        "complaint.status": complaint_words.COMPLAINT_STATES,
        "event_kind": complaint_words.EVENTS,
        "incident.status": words.INCIDENT_STATES,
        "outcome": {**table_words.WINNERS, **complaint_words.OUTCOMES},
        "refusal": complaint_words.REFUSED_BECAUSE,
        "roles": words.ROLE_TITLES,
        "ruling.status": words.RULING_STATES,
        "videohold.status": complaint_words.VIDEO_STATES,
        **{f"checks.{name}": complaint_words.MATCHES for name in complaint_words.DETAILS},
    }
)
journal_words.STATES.update(
    {
        "complaint": complaint_words.ACTIONS,
        "incident": words.INCIDENT_STATES,
        "ruling": words.RULING_STATES,
        "video": complaint_words.VIDEO_STATES,
    }
)
