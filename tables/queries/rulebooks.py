"""The rules behind a published rulebook."""

from datetime import datetime
from functools import lru_cache

from tables.models import Rulebook
from tables.rules.document import parse_rulebook
from tables.rules.rulebook import Rulebook as Rules


@lru_cache(maxsize=256)
def rules_of(rulebook_id: int) -> Rules:
    """Read a published version; it is immutable, so it is read once a process.

    It passed every check before it was published; to check each row again would take most of a second.

    :raises Rulebook.DoesNotExist: if there is none.
    """
    return parse_rulebook(
        Rulebook.objects.only("document").get(pk=rulebook_id).document, check_every_row=False
    )


def versions_of(code: str) -> list[Rulebook]:
    """List the versions of a rulebook, the one that takes effect last first, without their documents."""
    versions = Rulebook.objects.filter(code=code).defer("document")
    return list(versions.order_by("-effective_from", "-version"))


def rulebook_in_force(code: str, at: datetime) -> Rulebook | None:
    """Find the version of a rulebook that is in force at a moment."""
    versions = Rulebook.objects.filter(code=code, effective_from__lte=at)
    return versions.order_by("-effective_from", "-version").first()
