"""An administrator sets a table up, changes its limits, and its rulebook between shoes."""

import pytest

from tables.models import GameTable, JournalEntry
from tests.tables.admin.acting import check_refusal, said, url_of
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import Platform, publish_all

NEW_TABLE = {
    "code": "c07",
    "name": "Salon 7",
    "currency": "thb",
    "zone": "Asia/Bangkok",
    "rulebook": "insurance",
    "smallest": "100",
    "largest": "1,000,000.50",
    "hour": "6",
}


def test_a_table_is_set_up(table: GameTable, sign_in: SignIn) -> None:
    done = sign_in("administrator").post("/admin/tables/gametable/do/set-up/", NEW_TABLE, follow=True)
    made = GameTable.objects.get(code="C07")
    assert said(done) == [
        "Table C07 is set up, closed; it plays by insurance, version 1, stakes from"
        " 100.00 – 1,000,000.50 THB."
    ]
    assert (made.min_stake_minor, made.max_stake_minor) == (10_000, 100_000_050)
    assert (made.status, made.currency, made.is_animation) == ("closed", "THB", False)
    assert JournalEntry.objects.get(action="table.set_up", subject_id=made.pk).actor_kind == "user"


@pytest.mark.parametrize(
    ("field", "typed", "label", "rule"),
    [
        ("code", "", "Code", "form/required"),
        ("code", "B01", "Code", "table/code"),
        ("code", "OIL", "Code", "table/code"),
        ("code", "B", "Code", "table/code"),
        ("name", "x" * 81, "Name", "table/name"),
        ("name", "a\u200bb", "Name", "table/name"),
        ("currency", "BAHT", "Currency", "table/currency"),
        ("zone", "Asia/Nowhere", "Time zone", "table/zone"),
        ("zone", "../../etc/passwd", "Time zone", "table/zone"),
        ("zone", "Asia", "Time zone", "table/zone"),
        ("hour", "24", "Gaming day starts, hour", "form/max_value"),
        ("hour", "six", "Gaming day starts, hour", "form/invalid"),
        ("rulebook", "nothing", "Rulebook", "form/invalid_choice"),
        ("smallest", "-1", "Lowest stake", "money/form"),
        ("smallest", "1e3", "Lowest stake", "money/form"),
        ("smallest", "1.005", "Lowest stake", "money/form"),
        ("smallest", "1,5", "Lowest stake", "money/form"),
        ("smallest", "0", "Highest stake", "table/limits"),
        ("smallest", "2,000,000", "Highest stake", "table/limits"),
        ("largest", "99999999999999999999", "Highest stake", "table/limits"),
        ("largest", "9" * 31, "Highest stake", "form/max_length"),
    ],
)
def test_a_table_that_cannot_be_is_refused(
    field: str, typed: str, label: str, rule: str, table: GameTable, sign_in: SignIn
) -> None:
    before = JournalEntry.objects.count()
    answer = sign_in("administrator").post("/admin/tables/gametable/do/set-up/", {**NEW_TABLE, field: typed})
    assert answer.status_code == 400
    assert (label, rule) in [(str(each.label), each.rule) for each in answer.context["problems"]]
    assert answer.context["form"][field].value() == typed
    assert answer.context["form"]["zone"].value() == (typed if field == "zone" else "Asia/Bangkok")
    assert (GameTable.objects.count(), JournalEntry.objects.count()) == (1, before)


def test_limits_are_changed(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("administrator")
    page = client.get(url_of(table, "limits")).content.decode()
    assert 'value="1,000,000.00"' in page
    done = client.post(url_of(table, "limits"), {"smallest": "50", "largest": "20,000"}, follow=True)
    assert said(done) == ["B01 takes stakes from 50.00 – 20,000.00 THB; before from 1.00 – 1,000,000.00 THB."]
    table.refresh_from_db()
    assert (table.min_stake_minor, table.max_stake_minor) == (5_000, 2_000_000)
    typed = {"smallest": "60", "largest": "50"}
    check_refusal(client, table, "limits", typed, "Highest stake", "table/limits", "is no range")


def test_what_is_done_when_the_wallet_is_short_is_changed(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("administrator")
    done = client.post(url_of(table, "debit"), {"policy": "hold"}, follow=True)
    assert said(done) == ["When the wallet is short, B01 does from now on: Hold for a person."]
    table.refresh_from_db()
    assert table.debit_policy == "hold"
    entry = JournalEntry.objects.get(action="table.debit_policy_changed")
    assert b'"debit_policy":"hold"' in bytes(entry.body)
    assert client.post(url_of(table, "debit"), {"policy": "beg"}).status_code == 400
    table.refresh_from_db()
    assert table.debit_policy == "hold"


def test_the_camera_above_a_table_is_changed(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("administrator")
    done = client.post(url_of(table, "camera"), {"camera": "pit-2.cam_07"}, follow=True)
    assert said(done) == ["From its next round on B01 is on camera pit-2.cam_07."]
    table.refresh_from_db()
    assert table.camera == "pit-2.cam_07"
    entry = JournalEntry.objects.get(action="table.camera_changed")
    assert b'"camera":"pit-2.cam_07"' in bytes(entry.body)
    check_refusal(client, table, "camera", {"camera": "a/b"}, "Camera", "table/camera", "dots, dashes")
    done = client.post(url_of(table, "camera"), {"camera": ""}, follow=True)
    assert said(done) == ["From its next round on B01 is on camera B01."]


def test_the_rulebook_is_changed_between_shoes(table: GameTable, sign_in: SignIn) -> None:
    publish_all()
    client = sign_in("administrator")
    done = client.post(url_of(table, "rulebook"), {"rulebook": "no-commission"}, follow=True)
    assert said(done) == [
        "B01 plays by no-commission, version 1 from its next shoe on; before by insurance, version 1."
    ]
    table.refresh_from_db()
    assert table.rulebook.code == "no-commission"
    Platform(table).send()
    sign_in("supervisor").post(url_of(table, "shoe"), {"decks": "8"})
    typed = {"rulebook": "insurance"}
    check_refusal(client, table, "rulebook", typed, "", "table/rulebook", "a shoe lies on the table")
