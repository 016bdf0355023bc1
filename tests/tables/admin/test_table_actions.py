"""Named actions of people on a table: who may, what each does, and what it says when it refuses."""

import re

import pytest
from django.test import Client

from casino.roles import ROLES
from tables.models import AcceptedGap, Card, GameTable, JournalEntry, Round, Shoe, TableState
from tests.tables.admin.acting import check_refusal, counted, page_of, said, text_of, url_of
from tests.tables.admin.conftest import SignIn
from tests.tables.playing import Platform

pytestmark = pytest.mark.django_db

ACTIONS = {
    "shoe": "tables.key_play",
    "cut": "tables.key_play",
    "burn": "tables.key_play",
    "coup": "tables.key_play",
    "card": "tables.key_play",
    "gap": "tables.accept_gap",
    "limits": "tables.set_up_table",
    "debit": "tables.set_up_table",
    "camera": "tables.set_up_table",
    "bet-limits": "tables.set_up_table",
    "rulebook": "tables.set_up_table",
    "open": "tables.open_table",
    "close": "tables.open_table",
}


# --- Who may ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_each_action_is_for_those_who_hold_its_permission(
    role: str, table: GameTable, sign_in: SignIn
) -> None:
    client = sign_in(role)
    before = counted()
    for action, permission in ACTIONS.items():
        allowed = permission in ROLES[role].permissions
        assert client.get(url_of(table, action)).status_code == (200 if allowed else 403), action
        if not allowed:
            assert client.post(url_of(table, action), {}).status_code == 403, action
    may_set_up = "tables.set_up_table" in ROLES[role].permissions
    set_up = client.get("/admin/tables/gametable/do/set-up/")
    assert set_up.status_code == (200 if may_set_up else 403)
    assert counted() == before


def test_who_is_not_signed_in_is_sent_to_sign_in(table: GameTable) -> None:
    for action in ACTIONS:
        answer = Client().post(url_of(table, action), {"cards": "9H 2D KC QS"})
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/")
    assert not Shoe.objects.exists()


def test_a_form_from_elsewhere_is_refused(table: GameTable, sign_in: SignIn) -> None:
    signed_in = sign_in("supervisor")
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in.cookies
    assert client.post(url_of(table, "shoe"), {"decks": 8}).status_code == 403
    assert not Shoe.objects.exists()


@pytest.mark.parametrize(
    ("role", "buttons"),
    [
        ("supervisor", ["shoe", "close"]),
        ("manager", ["shoe", "close"]),
        ("support", []),
        ("auditor", []),
        ("administrator", ["limits", "bet-limits", "rulebook", "debit", "camera"]),
    ],
)
def test_the_page_of_a_table_shows_the_buttons_of_who_looks(
    role: str, buttons: list[str], table: GameTable, sign_in: SignIn
) -> None:
    page = page_of(table, sign_in(role))
    assert re.findall(r'href="[^"]*/do/([\w-]+)/"', page) == buttons
    assert (f'href="/admin/tables/apikey/?table={table.code}"' in page) is (role == "administrator")


def test_the_buttons_follow_what_lies_on_the_table(platform: Platform, sign_in: SignIn) -> None:
    client = sign_in("supervisor")

    def buttons() -> list[str]:
        return re.findall(r'href="[^"]*/do/([\w-]+)/"', page_of(platform.table, client))

    assert buttons() == ["coup", "close"]  # the shoe is cut and burned
    name = platform.open_round()
    assert buttons() == ["coup", "close"]
    platform.say("betting_closed", round=name)
    assert buttons() == ["card", "coup", "close"]
    platform.say("table_closed")
    assert buttons() == ["open", "card", "coup"]


def test_only_an_administrator_is_led_to_setting_up(table: GameTable, sign_in: SignIn) -> None:
    for role in ROLES:
        page = sign_in(role).get("/admin/tables/gametable/").content.decode()
        assert ("do/set-up/" in page) is (role == "administrator"), role


# --- A supervisor keys ----------------------------------------------------------------------------------


def test_a_shoe_is_opened_cut_burned_and_a_coup_keyed(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    assert 'name="decks" value="8"' in client.get(url_of(table, "shoe")).content.decode()
    done = client.post(url_of(table, "shoe"), {"decks": "8"}, follow=True)
    shoe = Shoe.objects.get()
    assert said(done) == [f"Shoe {shoe.public_id} lies on B01: 416 cards."]
    done = client.post(url_of(table, "cut"), {"from_back": "14"}, follow=True)
    assert said(done) == [f"The blue card lies 14 cards from the back of {shoe.public_id}."]
    done = client.post(url_of(table, "burn"), {"turned": "6s", "count": "6"}, follow=True)
    assert said(done) == [f"6 cards of {shoe.public_id} are burned, as the rule asks."]
    done = client.post(url_of(table, "coup"), {"cards": "9h 2d kc qs", "number": "1"}, follow=True)
    round_ = Round.objects.get()
    assert said(done) == [f"Round {round_.public_id} is keyed: Player wins, 9–2. Its bets are being settled."]
    assert done.redirect_chain == [(f"/admin/tables/round/{round_.pk}/change/", 302)]
    shoe.refresh_from_db()
    assert (shoe.cut_from_back, shoe.burn_done, shoe.cards_out) == (14, 6, 11)
    assert (round_.outcome, round_.player_total, round_.banker_total) == ("player", 9, 2)
    assert set(Card.objects.values_list("source", flat=True)) == {"keyed"}
    actions = JournalEntry.objects.filter(actor_kind="user").order_by("pk").values_list("action", flat=True)
    keyed = ["shoe.keyed", "shoe.cut_keyed", "shoe.burn_keyed", "coup.keyed"]
    assert list(actions) == [*keyed, "players.seen"]  # the round's page, which the keying led to


def test_a_burn_that_is_not_what_the_rule_asks_is_done_and_said(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    client.post(url_of(table, "shoe"), {"decks": "8"})
    done = client.post(url_of(table, "burn"), {"turned": "6S", "count": "5"}, follow=True)
    assert "but the rule asks for 6: noted as a finding" in said(done)[-1]
    assert Shoe.objects.get().burn_done == 5


def test_a_missed_card_is_keyed_at_the_place_that_is_due(platform: Platform, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    platform.say("scan_failed", round=name, place="B1")
    page = client.get(url_of(platform.table, "card")).content.decode()
    assert '<option value="B1" selected>' in page
    done = client.post(
        url_of(platform.table, "card"), {"place": "B1", "card": "2d", "number": "1"}, follow=True
    )
    round_ = platform.round(name)
    assert said(done) == [f"2♦ lies at B1 of {round_.public_id}, keyed."]
    card = Card.objects.get(place="B1", round=round_)
    assert (str(card.face), card.source) == ("2D", "keyed")


def test_a_coup_of_which_the_scanner_saw_a_part_is_offered_with_that_part(
    platform: Platform, sign_in: SignIn
) -> None:
    client = sign_in("supervisor")
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="9H")
    page = client.get(url_of(platform.table, "coup")).content.decode()
    assert 'name="cards" value="9H "' in page
    client.post(url_of(platform.table, "coup"), {"cards": "9H 2D KC QS", "number": "1"})
    sources = dict(Card.objects.filter(round=platform.round(name)).values_list("place", "source"))
    assert sources == {"P1": "scan", "B1": "keyed", "P2": "keyed", "B2": "keyed"}


def test_a_form_sent_twice_makes_one_round(platform: Platform, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    form = {"cards": "9H 2D KC QS", "number": "1"}
    assert client.post(url_of(platform.table, "coup"), form).status_code == 302
    again = client.post(url_of(platform.table, "coup"), form)
    assert again.status_code == 400
    assert "The table has gone on meanwhile: another round is due now." in text_of(again)
    assert Round.objects.count() == 1


SHOE_REFUSALS: list[tuple[str, dict[str, str], str, str, str]] = [
    ("shoe", {"decks": ""}, "Decks", "form/required", "This field is required."),
    ("shoe", {"decks": "eight"}, "Decks", "form/invalid", "Enter a whole number."),
    ("shoe", {"decks": "8.5"}, "Decks", "form/invalid", "Enter a whole number."),
    ("shoe", {"decks": "6"}, "Decks", "insurance/decks", "6 decks; the rulebook plays with 8"),
    ("shoe", {"decks": "9" * 30}, "Decks", "form/max_value", "less than or equal to 99"),
    ("cut", {"from_back": "14"}, "", "feed/shoe-first", "no shoe is on the table"),
    ("burn", {"turned": "6S", "count": "6"}, "", "feed/shoe-first", "no shoe is on the table"),
    ("burn", {"turned": "6X", "count": "6"}, "Card turned up", "card/form", "'6X' is no card"),
    ("burn", {"turned": "6S", "count": "53"}, "Cards burned", "shoe/start", "from 0 to 52"),
    ("burn", {"turned": "6S", "count": "-1"}, "Cards burned", "shoe/start", "from 0 to 52"),
    ("coup", {"cards": "9H 2D KC QS"}, "", "feed/shoe-first", "no shoe is on the table"),
    ("card", {"place": "P1", "card": "9H"}, "", "round/in-play", "no round is in play on B01"),
    ("gap", {"reason": "lost"}, "", "feed/gap", "the feed of B01 has no gap"),
]


@pytest.mark.parametrize(("action", "typed", "label", "rule", "words"), SHOE_REFUSALS)
def test_a_refusal_on_a_table_without_a_shoe_names_field_and_rule(
    action: str, typed: dict[str, str], label: str, rule: str, words: str, table: GameTable, sign_in: SignIn
) -> None:
    check_refusal(sign_in("manager"), table, action, typed, label, rule, words)


PLAY_REFUSALS: list[tuple[str, dict[str, str], str, str, str]] = [
    ("shoe", {"decks": "8"}, "", "shoe/one-open", "lies on the table; end it first"),
    ("cut", {"from_back": "0"}, "Cards from the back", "shoe/blue-card", "0 is outside a shoe of 416"),
    ("cut", {"from_back": "416"}, "Cards from the back", "shoe/blue-card", "416 is outside"),
    ("burn", {"turned": "6S", "count": "6"}, "Cards burned", "shoe/start", "burned already"),
    ("coup", {"cards": ""}, "Cards in the order dealt", "form/required", "This field is required."),
    ("coup", {"cards": "9H 2D KC"}, "Cards in the order dealt", "coup/drawing", "missing_initial_cards"),
    ("coup", {"cards": "2H 2D KC QS"}, "Cards in the order dealt", "coup/drawing", "missing_player_third"),
    ("coup", {"cards": "9H 2D KC QS 4C"}, "Cards in the order dealt", "coup/drawing", "extra_card"),
    ("coup", {"cards": "9H 2D KC 1S"}, "Cards in the order dealt", "card/form", "'1S' is no card"),
    ("coup", {"cards": "9H " * 60}, "Cards in the order dealt", "form/max_length", "at most 120"),
    ("coup", {"cards": "9H\x00"}, "Cards in the order dealt", "form/null_characters_not_allowed", "Null"),
    ("coup", {"cards": "9H 2D KC QS", "number": "7"}, "", "round/meant", "round 7 was meant"),
    ("card", {"place": "P9", "card": "9H"}, "Place", "form/invalid_choice", "P9"),
    ("card", {"place": "P1", "card": "9"}, "Card", "card/form", "'9' is no card"),
]


@pytest.mark.parametrize(("action", "typed", "label", "rule", "words"), PLAY_REFUSALS)
def test_a_refusal_on_a_table_with_a_shoe_names_field_and_rule(
    action: str, typed: dict[str, str], label: str, rule: str, words: str, platform: Platform, sign_in: SignIn
) -> None:
    check_refusal(sign_in("supervisor"), platform.table, action, typed, label, rule, words)


def test_a_scanned_card_is_not_keyed_over(platform: Platform, sign_in: SignIn) -> None:
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="8H")
    client = sign_in("supervisor")
    typed = {"cards": "9H 2D KC QS", "number": "1"}
    check_refusal(
        client,
        platform.table,
        "coup",
        typed,
        "Cards in the order dealt",
        "coup/scanned",
        "P1 was scanned as 8H",
    )
    typed = {"place": "P1", "card": "9H", "number": "1"}
    check_refusal(client, platform.table, "card", typed, "Place", "round/places", "P1 holds 8H already")


def test_a_closed_table_deals_no_coup(platform: Platform, sign_in: SignIn) -> None:
    platform.say("table_closed")
    typed = {"cards": "9H 2D KC QS", "number": "1"}
    check_refusal(
        sign_in("supervisor"), platform.table, "coup", typed, "", "table/open", "B01 is closed; open it first"
    )


# --- A manager accepts a gap --------------------------------------------------------------------------------


def test_a_gap_is_accepted_with_a_reason(platform: Platform, sign_in: SignIn) -> None:
    missing = platform.seq + 1
    platform.event("heartbeat")
    platform.send(platform.event("heartbeat"), platform.event("heartbeat"))
    client = sign_in("manager")
    assert re.findall(r'href="[^"]*/do/([\w-]+)/"', page_of(platform.table, client))[0] == "gap"
    page = text_of(client.get(url_of(platform.table, "gap")))
    assert f"Missing events {missing}" in page
    typed = {"first_seq": str(missing), "reason": ""}
    check_refusal(client, platform.table, "gap", typed, "Reason", "form/required", "This field is required.")
    typed = {"first_seq": str(missing), "reason": " "}
    check_refusal(client, platform.table, "gap", {"reason": "x" * 301}, "Reason", "form/max_length", "300")
    typed = {"first_seq": str(missing - 1), "reason": "encoder replaced"}
    check_refusal(client, platform.table, "gap", typed, "", "feed/gap", f"now {missing} is missing")
    typed["first_seq"] = str(missing)
    done = client.post(url_of(platform.table, "gap"), typed, follow=True)
    assert said(done) == [f"Events {missing} of B01 are declared lost; the feed goes on with {missing + 1}."]
    gap = AcceptedGap.objects.get()
    assert (gap.first_seq, gap.last_seq, gap.reason) == (missing, missing, "encoder replaced")
    assert TableState.objects.get(table=platform.table).next_seq == missing + 1
    assert "gap" not in re.findall(r'href="[^"]*/do/([\w-]+)/"', page_of(platform.table, client))


# --- Odd input ----------------------------------------------------------------------------------------------

ODD = [
    "",
    " ",
    "\x00",
    "é",
    "🂡",
    "x" * 5000,
    "-1",
    "1e400",
    "NaN",
    "9" * 4000,
    "' OR 1=1 --",
    "<script>",
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_input_is_answered(odd: str, platform: Platform, sign_in: SignIn) -> None:
    supervisor, administrator, manager = sign_in("supervisor"), sign_in("administrator"), sign_in("manager")
    names = [
        "decks",
        "from_back",
        "turned",
        "count",
        "cards",
        "number",
        "place",
        "card",
        "first_seq",
        "reason",
        "smallest",
        "largest",
    ]
    typed = dict.fromkeys([*names, "rulebook", "code", "name", "currency", "zone", "hour"], odd)
    for action, permission in ACTIONS.items():
        if action in ("gap", "open", "close", "bet-limits", "camera"):
            continue  # tests/tables/admin/test_opening_tables.py, test_setting_up_tables.py
        client = supervisor if permission == "tables.key_play" else administrator
        assert client.post(url_of(platform.table, action), typed).status_code == 400, action
        assert client.get(url_of(platform.table, action), typed).status_code == 200, action
        assert client.get(url_of(platform.table, action), {**typed, "preview": odd}).status_code == 200, (
            action
        )
    assert manager.post(url_of(platform.table, "gap"), typed).status_code == 400
    assert administrator.post("/admin/tables/gametable/do/set-up/", typed).status_code == 400
    assert Round.objects.count() == 0


@pytest.mark.parametrize("key", ["0", "999999", "9" * 40, "abc", "-1"])
def test_a_table_that_is_none(key: str, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    for action in ("coup", "shoe"):
        assert client.get(f"/admin/tables/gametable/{key}/do/{action}/").status_code in (302, 404)
        assert client.post(f"/admin/tables/gametable/{key}/do/{action}/", {}).status_code in (302, 403, 404)


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_do_nothing(method: str, table: GameTable, sign_in: SignIn) -> None:
    assert getattr(sign_in("supervisor"), method)(url_of(table, "shoe")).status_code == 405


def test_a_get_changes_nothing(platform: Platform, sign_in: SignIn) -> None:
    before = counted()
    client = sign_in("supervisor")
    client.get(url_of(platform.table, "coup"), {"cards": "9H 2D KC QS", "number": "1"})
    assert counted() == before


def test_the_pages_are_kept_by_no_cache(table: GameTable, sign_in: SignIn) -> None:
    assert "no-store" in sign_in("supervisor").get(url_of(table, "coup"))["Cache-Control"]


def test_a_refusal_is_said_in_thai(table: GameTable, sign_in: SignIn) -> None:
    client = sign_in("supervisor")
    answer = client.post(url_of(table, "shoe"), {"decks": "6"}, headers={"accept-language": "th"})
    text = text_of(answer)
    assert "ไม่มีการเปลี่ยนแปลงใด ๆ" in text
    assert "กติกาใช้จำนวนสำรับไพ่ไม่เท่านี้" in text
