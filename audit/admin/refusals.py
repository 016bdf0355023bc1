"""A refusal of a service as a page shows it: the rule in the reader's language, the detail as it was said."""

from typing import NamedTuple

from django.utils.functional import Promise

from audit.complaint_words import REFUSALS as COMPLAINT_REFUSALS
from audit.queries.persons import NoPerson
from audit.services.asking import BadRuling
from audit.services.complaint_record import BadComplaint, CannotChange
from audit.services.incidents import BadReport
from audit.services.rulings import CannotDecide
from audit.words import REFUSALS
from tables.models import IllegalTransition
from tables.services.setup import BadSetup

REFUSING = (
    BadRuling,
    BadReport,
    BadComplaint,
    CannotChange,
    CannotDecide,
    NoPerson,
    IllegalTransition,
)
#: Rules whose words say everything: the detail would only repeat them.
PLAIN = frozenset(
    {
        "ruling/reason",
        "complaint/reason",
        "complaint/time",
        "complaint/zone",
        "consent/reason",
        "round/changed",
        "ruling/preview",
        "person/none",
        "setup/reason",
    }
)


class Refusal(NamedTuple):
    """Why nothing was done."""

    rule: str
    words: str | Promise
    detail: str
    status: int
    field: str = ""


def refusal_of(error: Exception) -> Refusal:
    """Describe a service's refusal for a page, with the HTTP status that fits it."""
    match error:
        case BadRuling() | BadReport() | BadComplaint():
            rule, detail, status, field = error.rule, error.message, 400, error.field
        case CannotDecide() | CannotChange():
            rule, detail, status, field = error.rule, error.message, 409, ""
        case BadSetup():
            rule, detail, status, field = error.rule, error.message, 409, error.field
        case NoPerson():
            rule, detail, status, field = "person/none", str(error), 403, ""
        case _:
            rule, detail, status, field = "ruling/state", str(error), 409, ""
    return refuse(rule, detail, status=status, field=field)


def refuse(rule: str, detail: str = "", *, status: int = 400, field: str = "") -> Refusal:
    """Describe a refusal of the page itself, by its rule."""
    words = REFUSALS.get(rule) or COMPLAINT_REFUSALS.get(rule)
    if words is None and rule.endswith("/incidents"):
        words = REFUSALS["incident/code"]
    return Refusal(rule, words or detail, "" if rule in PLAIN or words is None else detail, status, field)
