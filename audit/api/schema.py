"""What the OpenAPI document says of paths and errors here."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from tables.api.schema import Example, problems


def _path(name: str, said: str, example: str | int, kind: type = str) -> OpenApiParameter:
    shown = [OpenApiExample("Example", value=example)]
    return OpenApiParameter(name, kind, OpenApiParameter.PATH, description=said, examples=shown)


INCIDENT = _path("number", "The incident's number.", "I-0457")
RULING = _path("number", "The ruling's number.", "R-0192")
PACK = _path("number", "The evidence pack's number.", "E-0012")
COMPLAINT = _path("number", "The complaint's number.", "C-0031")
VERB = _path(
    "verb",
    "accept, refuse, wait, review, uphold, reject, answer, close, reopen, note or merge.",
    "accept",
)
DECISION = _path("decision_id", "The decision's `id`.", 8123, int)
REFERENCE = _path("reference", "The player's reference outside.", "P-10001")

_BAD_RULING: Example = (
    "bad-input",
    "Bad input",
    "rounds: a ruling is open already on B03-20261129-02-041-K (R-0191) (ruling/one-open)",
    [
        {
            "field": "rounds",
            "rule": "ruling/one-open",
            "message": "a ruling is open already on B03-20261129-02-041-K (R-0191)",
        }
    ],
    {},
)
_BAD_REPORT: Example = (
    "bad-input",
    "Bad input",
    "code: card_lost is not in the catalogue (insurance/incidents)",
    [
        {
            "field": "code",
            "rule": "insurance/incidents",
            "message": "card_lost is not in the catalogue",
        }
    ],
    {},
)
_NOT_DECIDED: Example = (
    "cannot-decide",
    "Not decided",
    "R-0192 is approved already; nothing was done",
    [
        {
            "field": "",
            "rule": "ruling/decided",
            "message": "R-0192 is approved already; nothing was done",
        }
    ],
    {},
)
_OTHER_REPORT: Example = (
    "conflict",
    "Conflict",
    "pit-17 was another report, which became I-0457; nothing was done",
    [],
    {},
)


_NOT_READY: Example = ("not-ready", "Not ready", "E-0012 is making.", [], {})


def pack_problems(*statuses: int) -> dict[Any, Any]:
    """Return the responses of an operation on evidence packs for these errors."""
    return problems(*statuses, conflict=_NOT_READY)


def ruling_problems(*statuses: int) -> dict[Any, Any]:
    """Return the responses of an operation on rulings for these errors."""
    return problems(*statuses, bad_input=_BAD_RULING, conflict=_NOT_DECIDED)


def report_problems(*statuses: int) -> dict[Any, Any]:
    """Return the responses of a report for these errors."""
    return problems(*statuses, bad_input=_BAD_REPORT, conflict=_OTHER_REPORT)


_BAD_COMPLAINT: Example = (
    "bad-input",
    "Bad input",
    "disputed: say at least what is disputed (complaint/empty)",
    [{"field": "disputed", "rule": "complaint/empty", "message": "say at least what is disputed"}],
    {},
)
_NOT_CHANGED: Example = (
    "changed",
    "Not done",
    "C-0031 was changed by Pim Wattana meanwhile: it is at version 3, you saw 2",
    [
        {
            "field": "",
            "rule": "complaint/changed",
            "message": "C-0031 was changed by Pim Wattana meanwhile: it is at version 3, you saw 2",
        }
    ],
    {},
)


def complaint_problems(*statuses: int) -> dict[Any, Any]:
    """Return the responses of an operation on complaints for these errors."""
    return problems(*statuses, bad_input=_BAD_COMPLAINT, conflict=_NOT_CHANGED)
