"""The look-up box: straight to the record when there is one, and the right words when there is none."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse

from tables.models import Bet, Player, Round, Shoe, WalletTransaction
from tables.queries.lookup import Found
from tables.queries.lookup import look_up as answer_to
from tables.rules.round_id import make_round_id
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import Platform, make_table


def look_up(sign_in: SignIn, text: str, role: str = "support") -> tuple[int, str, str]:
    """Ask the box; return the status, where it leads and what it says."""
    answer = sign_in(role).get(reverse("admin:lookup"), {"q": text})
    return answer.status_code, answer.get("Location", ""), answer.content.decode()


@pytest.mark.parametrize(
    "write", [str, str.lower, lambda text: text.replace("-", " "), lambda text: f"  {text} "]
)
def test_a_round_id_leads_to_its_round(write: object, played: Round, sign_in: SignIn) -> None:
    assert callable(write)
    status, place, _page = look_up(sign_in, write(played.public_id))
    assert (status, place) == (302, reverse("admin:tables_round_change", args=[played.pk]))


def test_each_kind_of_reference_leads_to_its_record(played: Round, sign_in: SignIn) -> None:
    bet = Bet.objects.get(platform_bet_id="b1")
    player = Player.objects.get(identity__reference="P-10002")
    shoe = Shoe.objects.get()
    sent = WalletTransaction.objects.order_by("pk")[0]
    wanted = {
        played.platform_id: reverse("admin:tables_round_change", args=[played.pk]),
        "b1": reverse("admin:tables_bet_change", args=[bet.pk]),
        "P-10002": reverse("admin:tables_player_change", args=[player.pk]),
        shoe.public_id: reverse("admin:tables_shoe_change", args=[shoe.pk]),
        sent.key: reverse("admin:tables_wallettransaction_change", args=[sent.pk]),
    }
    client = sign_in("support")
    for text, place in wanted.items():
        assert client.get(reverse("admin:lookup"), {"q": text})["Location"] == place, text


def test_a_mistyped_round_id_is_told_with_the_round_meant(played: Round, sign_in: SignIn) -> None:
    slip = played.public_id.replace("-001-", "-010-")  # two neighbours changed places
    status, _place, page = look_up(sign_in, slip)
    assert status == 404
    assert "is mistyped" in page
    assert "Did you mean" in page
    assert reverse("admin:tables_round_change", args=[played.pk]) in page


@pytest.mark.parametrize("at", [0, 2, 7, 13, 18])
def test_a_round_id_with_a_character_left_out_or_doubled_is_told_with_the_round_meant(
    at: int, played: Round, sign_in: SignIn
) -> None:
    name, client = played.public_id, sign_in("support")
    for slip in (name[:at] + name[at + 1 :], name[: at + 1] + name[at:]):
        answer = client.get(reverse("admin:lookup"), {"q": slip})
        page = answer.content.decode()
        assert (answer.status_code, "Did you mean" in page) == (404, True), slip
        assert reverse("admin:tables_round_change", args=[played.pk]) in page


def test_where_more_fit_than_are_listed_the_page_says_so_and_leads_to_the_list(
    platform: Platform, sign_in: SignIn
) -> None:
    platform.play("9H 2D KC QS", *((f"b{n:02}", f"P-{n:05}", "player", 100) for n in range(11)))
    client = sign_in("support")
    page = client.get(reverse("admin:lookup"), {"q": "P-000"}).content.decode()
    assert len(re.findall(r"/admin/tables/player/\d+/change/", page)) == 10
    assert "These are the first 10; there are more." in page
    assert "/admin/tables/player/?q=P-000" in page
    page = client.get(reverse("admin:lookup"), {"q": "P-0000"}).content.decode()
    assert len(re.findall(r"/admin/tables/player/\d+/change/", page)) == 10  # 0 to 9, and that is all
    assert "there are more" not in page


def test_an_unknown_round_id_is_told_from_a_mistyped_one(played: Round, sign_in: SignIn) -> None:
    unknown = make_round_id("B01", played.shoe.gaming_date, 1, 77)
    status, _place, page = look_up(sign_in, unknown)
    assert status == 404
    assert f"No round has the ID {unknown}" in page
    assert "is mistyped" not in page


@pytest.mark.parametrize(
    "text", ["B01 12:00", "b01 12:00:08", "B01 2026-11-29 12:00", "B01 2026-11-29 12:00:09", "B01, 12.00"]
)
def test_a_table_and_a_time_lead_to_the_round_played_then(
    text: str, played: Round, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, place, _page = look_up(
        sign_in, text if "2026" in text else f"{text[:3]} 2026-11-29 {text[3:].strip(', ')}"
    )
    assert (status, place) == (302, reverse("admin:tables_round_change", args=[played.pk]))


@pytest.mark.parametrize(
    ("now", "is_found"),
    [
        ("2026-11-29 12:00:30", True),  # the minute named has begun
        ("2026-11-29 23:59:59", True),
        ("2026-11-30 00:00:01", True),  # yesterday's, as long as that time has not come today
        ("2026-11-30 11:59:59", True),
        ("2026-11-30 12:00:00", False),  # today's, when nothing was played
        ("2026-11-29 11:59:59", False),  # yesterday's, when nothing was played
    ],
)
def test_a_time_without_a_day_is_todays_or_yesterdays(now: str, is_found: bool, played: Round) -> None:
    zone = ZoneInfo("Asia/Bangkok")
    at = datetime.fromisoformat(now).replace(tzinfo=zone).astimezone(UTC)
    answer = answer_to("B01 12:00", kinds=frozenset({Found.ROUND}), zone=zone, now=at)
    assert [hit.pk for hit in answer.hits] == ([played.pk] if is_found else [])


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The dealer differs: {} was dealt by Mali Chantara."),
        ("th", "ดีลเลอร์ไม่ตรง: {} แจกโดย Mali Chantara"),
    ],
)
def test_another_dealer_than_the_record_names_is_told_in_the_readers_language(
    language: str, said: str, played: Round, sign_in: SignIn
) -> None:
    client = sign_in("support")
    client.cookies["django_language"] = language
    text = {"q": "B01 2026-11-29 12:00 Lin Mei"}
    page = client.get(reverse("admin:lookup"), text, follow=True).content.decode()
    assert said.format(played.public_id) in page


def test_a_time_that_clocks_put_back_showed_twice_leads_to_both_rounds(db: None, sign_in: SignIn) -> None:
    # In Berlin clocks go from 03:00 back to 02:00 on 31 October 2027, at 01:00 UTC.
    platform = Platform(make_table(zone="Europe/Berlin"), at=datetime(2027, 10, 31, 0, 10, tzinfo=UTC))
    platform.start()
    rounds = []
    for hour, minute in ((0, 30), (1, 30), (2, 30)):
        platform.at = datetime(2027, 10, 31, hour, minute, tzinfo=UTC)
        rounds.append(platform.play("9H 2D KC QS"))
    status, _place, page = look_up(sign_in, "B01 2027-10-31 02:30")
    assert status == 200
    assert [one.public_id in page for one in rounds] == [True, True, False]
    status, place, _page = look_up(sign_in, "B01 2027-10-31 03:30", role="auditor")
    assert (status, place) == (302, reverse("admin:tables_round_change", args=[rounds[2].pk]))


@pytest.mark.parametrize(
    "text", ["B01 2026-11-29 11:00", "B01 2026-11-29 18:00", "B99 2026-11-29 12:00", "B01 29:00"]
)
def test_a_time_at_which_nothing_was_played_finds_nothing(text: str, played: Round, sign_in: SignIn) -> None:
    status, _place, page = look_up(sign_in, text)
    assert status == 404
    assert "Nothing found" in page


def test_a_beginning_that_fits_several_lists_them(platform: Platform, played: Round, sign_in: SignIn) -> None:
    status, _place, page = look_up(sign_in, "P-1000")
    assert status == 200
    assert "P-10001" in page
    assert "P-10002" in page


@pytest.mark.parametrize(
    "text", ["", "   ", "\x00", "b1\x00", "x" * 121, "x" * 100_000, "%", "_", "'\"><script>", "🂡"]
)
def test_odd_texts_are_answered(text: str, played: Round, sign_in: SignIn) -> None:
    status, _place, page = look_up(sign_in, text)
    assert status in (200, 404)
    assert "<script>'" not in page
    assert "'\"><script>" not in page


def test_a_look_up_finds_nothing_the_asker_may_not_see(played: Round, sign_in: SignIn) -> None:
    assert look_up(sign_in, "b1", role="administrator")[0] == 404


def test_the_short_address_of_the_look_up(played: Round, sign_in: SignIn) -> None:
    answer = sign_in("support").get("/lookup", {"q": "b1"})
    assert answer["Location"] == "/admin/lookup/?q=b1"
