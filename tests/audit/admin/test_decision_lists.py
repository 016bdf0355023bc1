"""Lists and pages of decisions: as many queries for many as for one; odd input is never a fault of ours."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import EvidencePack, Notice, Ruling, RulingKind, VideoHold
from audit.services.incidents import report_incident
from audit.services.packs import ask_for_pack
from tables.models import Round
from tables.services.actors import Actor
from tests.audit.admin.conftest import PLAYER_WINS
from tests.audit.deciding import approve, ask, carry_out
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db

LISTS = [
    *(f"/admin/audit/{name}/" for name in ("incident", "ruling", "notice", "videohold", "evidencepack")),
    "/admin/",
]
ODD = ["%00", "-1", "0", "99999999999999999999999", "' OR 1=é", "x" * 300]


def decide_some(platform: Platform, supervisor: User, manager: User, count: int) -> Round:
    """Play rounds, each with an incident, an applied ruling with notices, and an open one."""
    now = datetime.now(UTC)
    for _ in range(count):
        number = platform.seq
        bets = [(f"n{number}-{i}", f"P-{i}", "player", 100) for i in range(2)]
        round_ = platform.play(PLAYER_WINS, *bets)
        carry_out(
            approve(
                manager,
                ask(supervisor, RulingKind.VOID_KINDS, [round_], at=now, facts={"kinds": ["player"]}),
                at=now,
            ),
            at=now,
        )
        ask(supervisor, RulingKind.VOID_ROUND, [round_], at=now)
        actor = Actor.of_user(supervisor)
        report_incident(
            table=round_.table, code="misdeal", facts={}, actor=actor, at=now, round_=round_, user=supervisor
        )
        ask_for_pack(subject=round_, actor=Actor.of_user(manager), at=now, user=manager)
    return round_


def test_lists_ask_the_database_as_often_for_many_as_for_one(
    platform: Platform, supervisor: User, manager: User, office: Client
) -> None:
    decide_some(platform, supervisor, manager, 1)
    counts: list[list[int]] = []
    for more in (0, 7):
        if more:
            decide_some(platform, supervisor, manager, more)
        counts.append([])
        for url in LISTS:
            office.get(url)  # what is cached is cached from here on
            with CaptureQueriesContext(connection) as asked:
                assert office.get(url).status_code == 200
            counts[-1].append(len(asked))
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 25
    assert (Ruling.objects.count(), Notice.objects.count()) == (16, 16)
    assert (VideoHold.objects.count(), EvidencePack.objects.count()) == (8, 8)


def test_the_pages_of_a_ruling_and_a_round_do_not_grow_with_their_bets(
    platform: Platform, supervisor: User, office: Client
) -> None:
    counts = []
    for players in (1, 30):
        bets: list[Any] = [(f"q{players}-{i}", f"P-{i}", "player", 100) for i in range(players)]
        round_ = platform.play(PLAYER_WINS, *bets)
        ruling = ask(supervisor, RulingKind.VOID_ROUND, [round_], at=datetime.now(UTC))
        url = f"/admin/audit/ruling/{ruling.pk}/change/"
        office.get(url)
        with CaptureQueriesContext(connection) as asked:
            page = office.get(url).content.decode()
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert page.count('bc-id" href="/admin/tables/player/') == 12
    second = office.get(f"{url}?players=3").content.decode()
    assert second.count('bc-id" href="/admin/tables/player/') == 6


def test_a_ruling_is_found_by_the_beginning_of_its_number(
    played: Round, supervisor: User, office: Client
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=datetime.now(UTC))
    assert ruling.number in office.get(f"/admin/audit/ruling/?q={ruling.number[:4].lower()}").content.decode()
    page = office.get("/admin/audit/ruling/?q=X-1").content.decode()
    assert "Nothing matches" in page
    assert ruling.number not in office.get("/admin/audit/ruling/?status=applied").content.decode()


def test_empty_lists_say_what_will_be_there(platform: Platform, office: Client) -> None:
    for url, words in zip(
        LISTS,
        (
            "No incident was reported",
            "No ruling was asked for yet",
            "No player was told",
            "No video was asked for",
            "No evidence pack was asked for",
            "No incident waits.",
        ),
        strict=True,
    ):
        assert words in office.get(url).content.decode()


@pytest.mark.parametrize("odd", ODD)
def test_odd_input_is_never_a_fault_of_ours(
    odd: str, played: Round, supervisor: User, office: Client
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=datetime.now(UTC))
    pages = [
        f"/admin/audit/ruling/{odd}/change/",
        f"/admin/audit/incident/{odd}/change/",
        f"/admin/audit/notice/{odd}/change/",
        f"/admin/audit/ruling/?status={odd}&kind={odd}&incident={odd}&round={odd}&q={odd}&p={odd}",
        f"/admin/audit/incident/?status={odd}&shoe={odd}&q={odd}",
        f"/admin/audit/ruling/{ruling.pk}/change/?players={odd}&rounds={odd}",
        f"/admin/audit/ruling/{odd}/progress/",
        f"/admin/audit/ruling/ask/?round={odd}",
        f"/admin/audit/ruling/ask/?shoe={odd}&kind=void_range&from={odd}&to={odd}",
        f"/admin/audit/ruling/ask/?round={played.pk}&kind={odd}&incident={odd}",
        f"/admin/audit/ruling/ask/?round={played.pk}&kind=correct&P1={odd}&B3={odd}",
        f"/admin/audit/ruling/ask/?round={played.pk}&kind=void_kinds&kinds={odd}&also={odd}",
        f"/admin/audit/ruling/ask/?round={played.pk}&kind=reinstate&reinstates={odd}",
        f"/admin/audit/ruling/ask/?shoe={played.shoe_id}&kind=void_range&from={odd}&to={odd}",
        f"/admin/audit/incident/report/?round={played.pk}&code={odd}&face_seen={odd}",
        f"/admin/audit/incident/report/?table={odd}",
    ]
    for url in pages:
        assert office.get(url, follow=True).status_code in (200, 400, 404, 409), url
    for verb in ("approve", "refuse", "stop", "resume"):
        typed = {"reason": odd * 40, "preview_hash": odd, "password": odd}
        url = f"/admin/audit/ruling/{odd if odd.isdigit() else ruling.pk}/{verb}/"
        assert office.post(url, typed).status_code in (302, 404, 409), url
