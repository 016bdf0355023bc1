"""From the page of a round to the money: ask, approve, refuse, and what is said when it will not do."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Notice, Ruling, RulingKind, RulingRound, SignIn
from casino.roles import ROLES
from tables.models import Round
from tests.audit.admin.conftest import PLAYER_WINS, browser_of
from tests.audit.deciding import approve, ask, carry_out, make_user, rule
from tests.tables.playing import Platform, cards_of, lines_of

pytestmark = pytest.mark.django_db

# The Player's and the Banker's cards changed round: the Banker wins 9 to 2.
BANKER_WINS = {"P1": "2d", "B1": " 9H", "P2": "KC", "B2": "QS", "P3": "", "B3": ""}


def now() -> datetime:
    return datetime.now(UTC)


def page_of(ruling: Ruling, client: Client) -> str:
    return client.get(f"/admin/audit/ruling/{ruling.pk}/change/").content.decode()


def seen_in(page: str) -> str:
    """Return the hash of the preview that a page shows."""
    found = re.search(r'name="seen" value="([0-9a-f]*)"', page)
    assert found is not None
    return found[1]


def ask_for(client: Client, query: str, **typed: object) -> tuple[int, str]:
    """Look at what would be asked for, then ask for exactly that."""
    url = f"/admin/audit/ruling/ask/?{query}"
    look = client.post(url, {**typed, "do": "look"}).content.decode()
    answer = client.post(url, {"reason": "seen on camera", **typed, "seen": seen_in(look), "do": "ask"})
    return answer.status_code, answer.content.decode()


def decide(client: Client, ruling: Ruling, verb: str, **typed: object) -> tuple[int, str]:
    data = {"reason": "agreed", "preview_hash": ruling.preview_hash, **typed}
    answer = client.post(f"/admin/audit/ruling/{ruling.pk}/{verb}/", data)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", " is asked for. Somebody decides by <time"), ("th", " แล้ว รอผู้มีอำนาจตัดสินภายใน <time")],
)
def test_a_request_says_by_when_it_is_decided_and_names_utc(
    language: str, said: str, played: Round, floor: Client
) -> None:
    floor.cookies["django_language"] = language
    query = f"round={played.pk}"
    ask_for(floor, query, kind="void_round")
    ruling = Ruling.objects.get()
    page = page_of(ruling, floor)
    message = page.split('class="bc-messages"')[1].split("</ul>")[0]
    until = ruling.expires_at.astimezone(UTC)
    assert ruling.number in message and said in message
    assert f'title="{until:%Y-%m-%d %H:%M:%S} UTC"' in message


def test_a_void_from_the_round_page_takes_two_clicks(played: Round, floor: Client) -> None:
    page = floor.get(f"/admin/tables/round/{played.pk}/change/").content.decode()
    (url,) = (found.replace("&amp;", "&") for found in re.findall(r'href="([^"]*kind=void_round)"', page))
    shown = floor.get(url).content.decode()
    assert "Void round 1" in shown and "P-10002" in shown
    typed = {"kind": "void_round", "reason": "cards fell", "do": "ask", "seen": seen_in(shown)}
    answer = floor.post(url, typed)
    ruling = Ruling.objects.get()
    assert answer["Location"] == f"/admin/audit/ruling/{ruling.pk}/change/"
    # The loser gets 300.00 back; the winner, paid 200.00 for a stake of 100.00, gives 100.00 back.
    assert (ruling.kind, ruling.status) == ("void_round", "requested")
    assert (ruling.given_minor, ruling.taken_minor) == (30_000, 10_000)


def test_a_correction_is_checked_drawn_and_asked_for(played: Round, floor: Client) -> None:
    query = f"round={played.pk}"
    look = floor.post(f"/admin/audit/ruling/ask/?{query}", {"kind": "correct", **BANKER_WINS, "do": "look"})
    page = look.content.decode()
    assert page.count("is-marked") == 4  # two cards changed places, before and after
    assert "9♥ moved from Player" in page and "Banker wins 2–9" in page
    status, _page = ask_for(floor, query, kind="correct", **BANKER_WINS)
    assert status == 302
    assert Ruling.objects.get().facts["cards"] == {"P1": "2D", "B1": "9H", "P2": "KC", "B2": "QS"}


def test_cards_that_are_no_lawful_coup_are_refused_and_kept(played: Round, floor: Client) -> None:
    typed = {**BANKER_WINS, "B3": "5C"}
    status, page = ask_for(floor, f"round={played.pk}", kind="correct", reason="camera 3", **typed)
    assert status == 400
    assert "These cards are no lawful coup." in page and 'value="5C"' in page and "camera 3" in page
    assert not Ruling.objects.exists()


def test_nothing_is_asked_for_without_a_reason_or_on_a_round_that_changed(
    played: Round, floor: Client, supervisor: User, manager: User
) -> None:
    query = f"round={played.pk}"
    status, page = ask_for(floor, query, kind="void_round", reason=" ")
    assert (status, "Say why." in page) == (400, True)
    old = seen_in(
        floor.get(f"/admin/audit/ruling/ask/?{query}&kind=void_kinds&kinds=player").content.decode()
    )
    rule(supervisor, manager, RulingKind.VOID_KINDS, [played], at=now(), facts={"kinds": ["player"]})
    answer = floor.post(
        f"/admin/audit/ruling/ask/?{query}",
        {"kind": "void_round", "reason": "fell", "seen": old, "do": "ask"},
    )
    assert answer.status_code == 409
    assert "The round changed while you looked" in answer.content.decode()
    assert Ruling.objects.count() == 1


def test_pressing_twice_asks_once(played: Round, floor: Client) -> None:
    query = f"round={played.pk}"
    shown = floor.get(f"/admin/audit/ruling/ask/?{query}&kind=void_round").content.decode()
    typed = {"kind": "void_round", "reason": "fell", "seen": seen_in(shown), "do": "ask"}
    first, second = (floor.post(f"/admin/audit/ruling/ask/?{query}", typed) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Ruling.objects.count() == 1


def test_a_second_ruling_on_a_round_waits_for_the_first(
    played: Round, supervisor: User, office: Client
) -> None:
    open_one = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    status, page = ask_for(office, f"round={played.pk}", kind="re_deal")
    assert (status, "Another ruling is open on this round" in page) == (400, True)
    assert open_one.number in page


def test_kinds_of_bet_are_chosen_and_the_rest_stands(played: Round, floor: Client) -> None:
    query = f"round={played.pk}"
    page = floor.get(f"/admin/audit/ruling/ask/?{query}&kind=void_kinds")
    assert page.status_code == 200
    assert "Nothing was done" not in page.content.decode()  # nothing chosen yet is nothing wrong yet
    status, page_none = ask_for(floor, query, kind="void_kinds")
    assert (status, "Choose the kinds of bet" in page_none) == (400, True)
    assert ask_for(floor, query, kind="void_kinds", kinds=["banker"])[0] == 302
    assert Ruling.objects.get().facts["kinds"] == ["banker"]


def test_a_range_of_rounds_leaves_out_what_is_void(
    platform: Platform, played: Round, supervisor: User, manager: User, floor: Client
) -> None:
    second, third = (platform.play(PLAYER_WINS, (f"r{n}", "P-1", "player", 100)) for n in (2, 3))
    rule(supervisor, manager, RulingKind.VOID_ROUND, [second], at=now())
    typed = {"kind": "void_range", "from": "1", "to": "3"}
    url = f"/admin/audit/ruling/ask/?shoe={played.shoe_id}"
    page = floor.post(url, {**typed, "do": "look"}).content.decode()
    assert "1 round is void already and left out." in page and "Void rounds 1 to 3" in page
    assert ask_for(floor, f"shoe={played.shoe_id}", **typed)[0] == 302
    ruling = Ruling.objects.get(kind="void_range")
    rounds = set(RulingRound.objects.filter(ruling=ruling).values_list("round_id", flat=True))
    assert rounds == {played.pk, third.pk}
    shown = page_of(ruling, floor)
    assert "Void rounds 1 to 3" in shown and third.public_id in shown


def test_the_preview_is_exported(played: Round, floor: Client) -> None:
    answer = floor.get(f"/admin/audit/ruling/ask/?round={played.pk}&kind=void_round&as=csv")
    assert answer["Content-Type"].startswith("text/csv")
    assert answer.content.decode().splitlines() == [
        "player,before_minor,after_minor,difference_minor,currency",
        "P-10002,0,30000,30000,THB",
        "P-10001,20000,10000,-10000,THB",
    ]


def test_another_person_approves_and_the_round_is_settled_again(
    played: Round, supervisor: User, floor: Client, office: Client
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    page = page_of(ruling, office)
    assert "You did not ask for it" in page and "Approve and settle again" in page
    assert ruling.preview_hash[:8] in page and ruling.preview_hash[-8:] in page
    assert decide(office, ruling, "approve")[0] == 302
    progress = f"/admin/audit/ruling/{ruling.pk}/progress/"
    under_way = office.get(progress).content.decode()
    assert f'hx-get="{progress}"' in under_way and "0 of 1 rounds" in under_way
    carry_out(Ruling.objects.get(pk=ruling.pk), at=now())
    assert lines_of(played) == {"b1": ("void", 10_000), "b2": ("void", 30_000)}
    after = page_of(ruling, office)
    assert "What it moved" in after and "Told to players" in after and "+300.00" in after
    assert Notice.objects.count() == 2
    round_page = floor.get(f"/admin/tables/round/{played.pk}/change/").content.decode()
    assert "2 notices to players" in round_page and ruling.number in round_page


def test_approving_twice_has_one_effect_and_says_so(played: Round, supervisor: User, office: Client) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    assert decide(office, ruling, "approve")[0] == 302
    status, page = decide(office, ruling, "approve")
    assert (status, "This request was decided already" in page) == (409, True)
    again = office.get(f"/admin/audit/ruling/{ruling.pk}/approve/")
    assert again["Location"] == f"/admin/audit/ruling/{ruling.pk}/change/"


def test_who_asked_is_shown_why_a_second_person_is_needed(
    platform: Platform, manager: User, office: Client
) -> None:
    large = platform.play(PLAYER_WINS, ("b1", "P-1", "banker", 5_000_001))
    ruling = ask(manager, RulingKind.VOID_ROUND, [large], at=now())
    page = page_of(ruling, office)
    assert "You asked for it" in page and "Two persons needed: 50,000.01 moves, threshold 50,000.00" in page
    assert "Approve and settle again" not in page
    status, page = decide(office, ruling, "approve")
    assert (status, "This takes a second person" in page) == (409, True)
    assert Ruling.objects.get().status == "requested"


def test_a_large_sum_takes_the_password_and_keeps_the_reason(
    platform: Platform, supervisor: User, office: Client
) -> None:
    large = platform.play(PLAYER_WINS, ("b1", "P-1", "banker", 50_000_001))
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [large], at=now())
    assert 'type="password"' in page_of(ruling, office)
    for password in ("", "wrong"):
        status, page = decide(office, ruling, "approve", password=password, reason="camera 3 shows it")
        assert (status, "this sum takes a new sign-in" in page) == (409, True)
        assert "camera 3 shows it</textarea>" in page
    assert not SignIn.objects.exists()
    assert decide(office, ruling, "approve", password="secret")[0] == 302
    assert Ruling.objects.get().status == "approved"


@pytest.mark.parametrize(
    ("minutes", "hash_", "words"),
    [(31, None, "The time to decide has run out"), (0, "0" * 64, "What you saw is not what was asked for")],
)
def test_a_request_past_its_time_or_another_than_seen_is_not_approved(
    played: Round, supervisor: User, office: Client, minutes: int, hash_: str | None, words: str
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now() - timedelta(minutes=minutes))
    status, page = decide(office, ruling, "approve", preview_hash=hash_ or ruling.preview_hash)
    assert (status, words in page) == (409, True)
    assert lines_of(played)["b1"] == ("won", 20_000)


def test_a_refusal_takes_a_reason(played: Round, supervisor: User, office: Client) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    status, page = decide(office, ruling, "refuse", reason="")
    assert (status, "Say why." in page) == (409, True)
    assert decide(office, ruling, "refuse", reason="the camera shows nothing")[0] == 302
    page = page_of(ruling, office)
    assert "the camera shows nothing" in page and "Approve and settle again" not in page


def test_a_ruling_is_stopped_between_rounds_and_resumed(
    platform: Platform, supervisor: User, manager: User, office: Client
) -> None:
    rounds = [platform.play(PLAYER_WINS, (f"r{n}", "P-1", "player", 100)) for n in (1, 2)]
    ruling = approve(manager, ask(supervisor, RulingKind.VOID_RANGE, rounds, at=now()), at=now())
    assert "Stop between rounds" in page_of(ruling, office)
    assert decide(office, ruling, "stop")[0] == 302
    page = page_of(ruling, office)
    assert "Resume" in page and "Stop between rounds" not in page
    assert decide(office, ruling, "stop")[0] == 409
    assert decide(office, ruling, "resume")[0] == 302
    carry_out(ruling, at=now())
    assert decide(office, ruling, "stop")[0] == 409
    assert [lines_of(one) for one in rounds] == [{"r1": ("void", 100)}, {"r2": ("void", 100)}]


def test_a_correction_is_taken_out_of_force_from_the_round(
    played: Round, supervisor: User, manager: User, floor: Client, office: Client
) -> None:
    right = {place: text.strip().upper() for place, text in BANKER_WINS.items() if text}
    first = rule(supervisor, manager, RulingKind.CORRECT, [played], at=now(), facts={"cards": right})
    assert ask_for(floor, f"round={played.pk}", kind="reinstate", reinstates=str(first.pk))[0] == 302
    second = Ruling.objects.get(kind="reinstate")
    assert "Two persons needed: a ruling is taken out of force" in page_of(second, office)
    assert decide(office, second, "approve")[0] == 302
    carry_out(Ruling.objects.get(pk=second.pk), at=now())
    assert lines_of(played)["b1"] == ("won", 20_000)
    assert cards_of(played.deals.get()) == {"P1": "9H", "B1": "2D", "P2": "KC", "B2": "QS"}


def test_an_account_of_no_person_is_told_so(played: Round, manager: User, supervisor: User) -> None:
    stranger = User.objects.create_user("stranger", is_staff=True)
    superuser = User.objects.create_superuser("root")
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    status, page = decide(browser_of(superuser), ruling, "approve")
    assert (status, "Your account is linked to no person" in page) == (403, True)
    assert decide(browser_of(stranger), ruling, "approve")[0] == 403


@pytest.mark.parametrize("role", ROLES)
def test_each_role_gets_what_its_permissions_open(role: str, played: Round, supervisor: User) -> None:
    permissions = ROLES[role].permissions
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    client = browser_of(
        make_user("somebody", *permissions - {"audit.approve_ruling", "audit.approve_setup_change"})
    )
    opened = {
        "audit.view_ruling": f"/admin/audit/ruling/{ruling.pk}/change/",
        "audit.request_ruling": f"/admin/audit/ruling/ask/?round={played.pk}",
        "audit.report_incident": f"/admin/audit/incident/report/?round={played.pk}",
        "audit.view_notice": "/admin/audit/notice/",
        "audit.view_incident": "/admin/audit/incident/",
    }
    for permission, url in opened.items():
        assert (client.get(url).status_code == 200) == (permission in permissions), url
    for verb in ("approve", "refuse", "stop", "resume"):
        assert decide(client, ruling, verb)[0] == 403
    may_ask = "audit.request_ruling" in permissions
    assert decide(client, ruling, "withdraw")[0] == (409 if may_ask else 403)
    assert Ruling.objects.get().status == "requested"
