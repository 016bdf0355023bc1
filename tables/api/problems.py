"""An error of the API as RFC 9457 has it: raised in a view, written out once by the project's handler."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rest_framework.exceptions import APIException

TYPE_PREFIX = "urn:bluecard:problem:"
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong with one field: the rule that it breaks as a word, and a sentence for people."""

    field: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """The body of an error. `extra` are members beyond those of the RFC, such as `expected_seq`."""

    status: int
    code: str
    title: str
    detail: str
    errors: Sequence[FieldError] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_body(self) -> dict[str, Any]:
        """Write the members out; `errors` is always there, so that a client need not ask for it."""
        return {
            "type": TYPE_PREFIX + self.code,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "errors": [
                {"field": error.field, "rule": error.rule, "message": error.message} for error in self.errors
            ],
            **self.extra,
        }


class Problem(APIException):
    """Ends a request with the problem it carries."""

    def __init__(self, details: ProblemDetails) -> None:
        super().__init__(details.detail, details.code)
        self.details = details
        self.status_code = details.status


def unknown(what: str, **extra: Any) -> Problem:
    """Make the 404 for a thing that is not there."""
    return Problem(ProblemDetails(404, "not-found", "Not found", what, extra=extra))


def bad_field(name: str, rule: str, message: str, **extra: Any) -> Problem:
    """Make the 400 for one field that breaks one rule."""
    errors = [FieldError(name, rule, message)]
    return Problem(ProblemDetails(400, "bad-input", "Bad input", message, errors, extra))


def forbidden(message: str, code: str = "not-allowed", **extra: Any) -> Problem:
    """Make the 403 for one who is known and may not."""
    return Problem(ProblemDetails(403, code, "Not allowed", message, extra=extra))
