"""The auditor's role sees all and exports, and changes nothing, whatever address it sends something to."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse

from audit.admin.complaint_page import SAID
from audit.models import Complaint, ComplaintChannel, RulingKind, VideoHold
from audit.rules.complaints import Said
from audit.services.complaints import file_complaint
from casino.roles import ROLES
from tables.models import JournalEntry
from tables.services.actors import SYSTEM
from tests.audit.deciding import ask, make_user
from tests.tables.playing import NOON, Platform, make_table, publish_all

pytestmark = pytest.mark.django_db
LISTED = [page for page in admin.site._registry.values() if not getattr(page, "no_list_because", "")]
#: What is an auditor's own: an export, a look-up, the language, the own account. Nobody else's data change.
OWN = re.compile(r"audit/evidencepack/ask/|auth/user/me/|password_change/|log(in|out)/|lookup/|search/|live/")
#: An entry of the journal that says who looked or took something away is no change of anything.
LOOKS = re.compile(r"(players?|complaint)\.seen|evidence\.\w+|attachment\.opened|journal\.\w+")
TYPED = {
    "reason": "so",
    "text": "so",
    "seen_version": "1",
    "do": "record",
    "disputed": "so",
    "kind": "void_round",
}


@pytest.fixture
def house() -> Complaint:
    """Provide a round that somebody complains about, a ruling that waits, and the video that is asked for."""
    publish_all()
    call_command("set_up_roles", verbosity=0)
    platform = Platform(make_table(rulebook="commission"))
    platform.start(burn=2)
    round_ = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 10_000))
    ask(make_user("suda", *ROLES["supervisor"].permissions), RulingKind.VOID_ROUND, [round_])
    said = Said(
        played_at=round_.betting_opened_at,
        table="B01",
        dealer="Mali Chantara",
        round=round_.public_id,
        player="P-10001",
    )
    at = NOON + timedelta(hours=1)
    channel = ComplaintChannel.CHAT
    return file_complaint(said=said, channel=channel, language="th", actor=SYSTEM, user=None, at=at).complaint


@pytest.fixture
def auditor(house: Complaint) -> Client:
    user = make_user("orn")
    user.groups.add(Group.objects.get(name="auditor"))
    client = Client()
    client.force_login(user)
    return client


def test_an_auditor_opens_every_list_and_finds_the_one_box_on_it(auditor: Client) -> None:
    for page in LISTED:
        name = f"{page.model._meta.app_label}_{page.model._meta.model_name}"
        answer = auditor.get(reverse(f"admin:{name}_changelist"))
        assert answer.status_code == 200, name
        assert 'id="lookup-box"' in answer.content.decode(), name


def test_an_auditor_opens_the_page_of_everything_that_is_there(auditor: Client) -> None:
    opened = 0
    for page in admin.site._registry.values():
        found = page.model._default_manager.first()
        if found is None:
            continue
        name = f"{page.model._meta.app_label}_{page.model._meta.model_name}"
        answer = auditor.get(reverse(f"admin:{name}_change", args=[found.pk]))
        assert answer.status_code == 200 and 'id="lookup-box"' in answer.content.decode(), name
        opened += 1
    assert opened > 12


def test_whatever_an_auditor_sends_changes_nothing(auditor: Client) -> None:
    before, newest = _rows(), JournalEntry.objects.latest("pk").pk
    sent = 0
    for path in _addresses(admin.site.urls[0]):
        answer = auditor.post(f"/admin/{path}", TYPED)
        assert answer.status_code < 500, path
        sent += 1
    assert sent > 100
    written = JournalEntry.objects.filter(pk__gt=newest).values_list("action", flat=True)
    assert [action for action in written if not LOOKS.fullmatch(action)] == []
    assert _rows() == before


def _rows() -> dict[str, list[Any]]:
    """Return every row of the product but the journal's, which tells of looks."""
    ours = [
        model
        for model in apps.get_models()
        if model._meta.app_label in ("tables", "audit", "auth")
        and not model.__name__.startswith("Journal")
        and model.__name__ != "PendingEntry"
    ]
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in ours}


def _addresses(patterns: list[Any], before: str = "") -> Iterator[str]:
    """Fill in every address of the back office that is not an auditor's own with what is there."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and not OWN.match(route) and "(?P" not in route:
            for verb in SAID if "<slug:verb>" in route else ("round",):
                yield _filled(route, verb)


def _filled(route: str, word: str) -> str:
    app, model, *_ = [*route.split("/"), "", ""]
    known = {page.model._meta.label_lower: page.model for page in admin.site._registry.values()}
    found = known[f"{app}.{model}"]._default_manager.first() if f"{app}.{model}" in known else None
    key = str(found.pk) if found else "1"
    route = re.sub(r"<(slug|str):\w+>", word, route)
    return re.sub(r"<(int|path):\w+>", key, route).replace(
        "<uuid:uuid>", "0" * 8 + "-0000-4000-8000-" + "0" * 12
    )


def test_the_walk_reaches_what_decides(auditor: Client) -> None:
    paths = set(_addresses(admin.site.urls[0]))
    complaint, hold = Complaint.objects.get(), VideoHold.objects.get()
    for path in (f"complaint/{complaint.pk}/accept/", f"videohold/{hold.pk}/release/", "ruling/ask/"):
        assert f"audit/{path}" in paths
