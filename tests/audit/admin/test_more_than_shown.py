"""What shows only the first of something says so, counts all of it, and leads to the rest."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.admin import ruling_view
from audit.models import ChangeKind, RulingKind
from audit.queries import complaint_queue, queue, ruling_page
from audit.services.consents import ask_to_admit
from audit.services.setup_changes import request_change
from casino.roles import ROLES
from tables.admin import settlement, table_sheets, wallettransaction
from tables.models import Bet, GameTable, Player, Round, Settlement, WalletTransaction
from tables.rulebooks import shipped_text
from tables.services.actors import SYSTEM, Actor
from tables.services.setup import publish_rulebook
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import ask, make_user, rule
from tests.audit.services.test_complaints import DAY, MOMENT, file, result_at, said_of
from tests.tables.playing import NOON, Platform

pytestmark = pytest.mark.django_db

COUP = "9H 2D KC QS"


def page_of(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def followed(client: Client, page: str, url: str) -> str:
    """Return the page that a link of a page leads to."""
    assert f'href="{url.replace("&", "&amp;")}"' in page or f'href="{url}"' in page
    return page_of(client, url)


def test_a_transaction_of_many_bets_says_how_many_and_leads_to_them(
    platform: Platform, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wallettransaction, "BETS_SHOWN", 1)
    round_ = platform.play(
        COUP,
        ("b1", "P-1", "player", 100),
        ("b2", "P-1", "player", 200),
        ("b3", "P-2", "player", 300),
    )
    player = Player.objects.get(identity__reference="P-1")
    sent = WalletTransaction.objects.get(player=player)
    page = page_of(office, f"/admin/tables/wallettransaction/{sent.pk}/change/")
    assert "the first 1 of 2" in page and ">b1</a>" in page and ">b2</a>" not in page
    listed = followed(office, page, f"/admin/tables/bet/?round={round_.pk}&player={player.pk}")
    assert ">b1</a>" in listed and ">b2</a>" in listed and ">b3</a>" not in listed


def test_a_settlement_of_many_bets_leads_to_them(
    platform: Platform, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement, "LINES_SHOWN", 1)
    round_ = platform.play(COUP, ("b1", "P-1", "player", 100), ("b2", "P-2", "player", 200))
    made = Settlement.objects.get(round=round_)
    page = page_of(office, f"/admin/tables/settlement/{made.pk}/change/")
    assert "the first 1 of 2" in page and ">b2<" not in page
    assert ">b2<" in followed(office, page, f"/admin/tables/round/{round_.pk}/revisions/")


def test_a_dealer_leads_to_all_they_dealt(platform: Platform, office: Client) -> None:
    platform.play(COUP)
    platform.say("dealer_in", dealer="D-08", name="Somsak Rattan")
    mine = platform.play(COUP)
    page = page_of(office, f"/admin/tables/dealer/{mine.dealer_id}/change/")
    listed = followed(office, page, f"/admin/tables/round/?dealer={mine.dealer_id}")
    assert re.findall(r">(B01-[0-9A-Z-]+)</a>", listed) == [mine.public_id]


def test_the_first_changes_of_a_rulebook_lead_to_the_rest(
    platform: Platform, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shipped_text("commission").replace("winner: tie}, odds: 8}", "winner: tie}, odds: 9}")
    publish_rulebook(text=text, effective_from=NOON, actor=SYSTEM, at=NOON)
    url = f"/admin/tables/gametable/{platform.table.pk}/change/"
    assert "more field" not in page_of(office, url)
    monkeypatch.setattr(table_sheets, "CHANGES_SHOWN", 0)
    assert "and 1 more field</a>" in page_of(office, url)


def test_the_first_page_counts_what_it_does_not_list(
    platform: Platform, supervisor: User, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "SHOWN", 1)
    monkeypatch.setattr(queue, "MOST_READ", 2)
    for number in range(3):
        round_ = platform.play(COUP, (f"b{number}", "P-1", "player", 100))
        ask(supervisor, RulingKind.VOID_ROUND, [round_], at=datetime.now(UTC))
    page = page_of(office, "/admin/")
    assert "3 to decide" in page
    assert page.count('aria-label="Decide: Void round') == 1


def test_the_first_page_counts_the_changes_of_the_set_up_that_it_does_not_list(
    platform: Platform, supervisor: User, manager: User, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "SHOWN", 1)
    rung = make_user("rung", *ROLES["administrator"].permissions)
    for sum_ in (1, 2):
        request_change(
            kind=ChangeKind.THRESHOLDS,
            payload={
                "table": GameTable.objects.get().pk,
                "second_person_minor": sum_,
                "sign_in_again_minor": 9,
            },
            reason="as the house wants it",
            user=rung,
            actor=Actor.of_user(rung),
            at=datetime.now(UTC),
        )
    page = page_of(office, "/admin/")
    head = page.split('id="changes-heading"')[1].split("</div>")[0]
    assert re.search(r"</svg>2</span>", head)
    assert page.count('aria-label="Decide: Thresholds of table B01"') == 1


def test_what_a_table_was_told_is_read_page_by_page(
    platform: Platform, supervisor: User, manager: User, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (ruling_page, ruling_view):
        monkeypatch.setattr(module, "TOLD_SHOWN", 1)
    rounds = [platform.play(COUP, (f"b{number}", "P-1", "player", 100)) for number in range(2)]
    ruling = rule(supervisor, manager, RulingKind.VOID_RANGE, rounds, at=datetime.now(UTC))
    told = [
        page_of(office, f"/admin/audit/ruling/{ruling.pk}/change/?told={number}")
        .split('id="told-heading"')[1]
        .split("</section>")[0]
        for number in (1, 2)
    ]
    assert [rounds[0].public_id in part for part in told] == [True, False]
    assert [rounds[1].public_id in part for part in told] == [False, True]
    assert ["?told=2#told" in part for part in told] == [True, False]
    assert ["?told=1#told" in part for part in told] == [False, True]


def test_whoever_may_be_chosen_for_a_range_dealt_at_the_table(
    platform: Platform, floor: Client, played: Round
) -> None:
    platform.say("dealer_in", dealer="D-09", name="Nobody Yet")  # came, and dealt nothing
    page = page_of(floor, f"/admin/audit/ruling/ask/?table={platform.table.pk}&kind=void_range")
    offered = page.split('id="range-dealer"')[1].split("</select>")[0]
    assert re.findall(r"<option[^>]*>([^<]+)<", offered) == ["All", "Mali Chantara"]


def test_bets_of_a_complaint_s_player_lead_to_the_list(played: Round) -> None:
    desk = browser_of(make_user("pim", *ROLES["support"].permissions))
    player = Bet.objects.get(platform_bet_id="b1").player_id
    typed = {"q": played.public_id, "player": "P-10001", "do": "look"}
    page = desk.post("/admin/audit/complaint/new/", typed).content.decode()
    listed = followed(desk, page, f"/admin/tables/bet/?round={played.pk}&player={player}")
    assert ">b1</a>" in listed and ">b2</a>" not in listed


@pytest.mark.parametrize(
    ("language", "said"), [("en", "These are the first 1 of 2."), ("th", "แสดง 1 รายการแรกจากทั้งหมด 2 รายการ")]
)
def test_consents_beyond_the_shown_are_counted_and_lead_to_their_lists(
    language: str, said: str, platform: Platform, office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complaint_queue, "SHOWN", 1)
    round_ = platform.play(COUP, ("b1", "P-10001", "player", 100))
    agent = make_user("pim", *ROLES["support"].permissions)
    late = [file(said_of(round_), agent, result_at(round_) + DAY + MOMENT).complaint for _ in range(3)]
    for one in late[:2]:
        who = {"actor": Actor.of_user(agent), "user": agent, "at": datetime.now(UTC)}
        ask_to_admit(complaint_id=one.pk, reason="our chat was down", **who)
    office.cookies["django_language"] = language
    page = page_of(office, "/admin/")
    assert said in page
    followed(office, page, "/admin/audit/videohold/?consent=waits")
    listed = followed(office, page, "/admin/audit/complaint/?consent=waits")
    assert [one.number in listed for one in late] == [True, True, False]
