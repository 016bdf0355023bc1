"""From the page of a round to the money: report, ask, approve, refuse, and what is said when it will not do."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Incident, Notice, Ruling, RulingKind, RulingStatus
from casino.roles import ROLES
from tables.models import Hold, Round
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import approve, ask, carry_out, make_user
from tests.tables.playing import Platform, lines_of

pytestmark = pytest.mark.django_db

BANKER_WINS = {"P1": "2D", "B1": "9H", "P2": "KC", "B2": "QS", "P3": "", "B3": ""}


def seen_in(page: str) -> str:
    """Return the hash of the preview that a page shows."""
    found = re.search(r'name="seen" value="([0-9a-f]*)"', page)
    assert found is not None
    return found[1]


def ask_for(client: Client, query: str, **typed: object) -> tuple[int, str]:
    """Look at what would be asked for, then ask for exactly that."""
    look = client.post(f"/admin/audit/ruling/ask/?{query}", {**typed, "do": "look"})
    seen = seen_in(look.content.decode())
    answer = client.post(
        f"/admin/audit/ruling/ask/?{query}", {"reason": "seen on camera", **typed, "seen": seen, "do": "ask"}
    )
    return answer.status_code, answer.content.decode()


def test_a_void_from_the_round_page_takes_two_clicks(played: Round, floor: Client) -> None:
    page = floor.get(f"/admin/tables/round/{played.pk}/change/").content.decode()
    (url,) = re.findall(r'href="([^"]*kind=void_round)"', page)
    shown = floor.get(url.replace("&amp;", "&")).content.decode()
    assert "Void round 1" in shown and "P-10002" in shown
    typed = {"kind": "void_round", "reason": "cards fell", "do": "ask", "seen": seen_in(shown)}
    answer = floor.post(url.replace("&amp;", "&"), typed)
    ruling = Ruling.objects.get()
    assert answer["Location"] == f"/admin/audit/ruling/{ruling.pk}/change/"
    assert (ruling.kind, ruling.status, ruling.given_minor, ruling.taken_minor) == (
        "void_round",
        "requested",
        30_000,
        10_000,
    )


def test_another_person_approves_and_the_round_is_settled_again(
    played: Round, supervisor: User, floor: Client, office: Client
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=_now())
    page = office.get(f"/admin/audit/ruling/{ruling.pk}/change/").content.decode()
    assert "You did not ask for it" in page and "Approve and settle again" in page
    assert " ".join(ruling.preview_hash[i : i + 8] for i in (0, 8)) in re.sub("<[^>]+>", "", page)
    url = f"/admin/audit/ruling/{ruling.pk}/approve/"
    typed = {"reason": "agreed", "preview_hash": ruling.preview_hash}
    assert office.post(url, typed).status_code == 302
    carry_out(ruling, at=_now())
    assert lines_of(played) == {"b1": ("void", 10_000), "b2": ("void", 30_000)}
    after = office.get(f"/admin/audit/ruling/{ruling.pk}/change/").content.decode()
    assert "Applied" in after and "Told to players" in after and Notice.objects.count() == 2
    round_page = floor.get(f"/admin/tables/round/{played.pk}/change/").content.decode()
    assert "Questions and decisions" in round_page and ruling.number in round_page


def _now() -> object:
    from datetime import UTC, datetime

    return datetime.now(UTC)
