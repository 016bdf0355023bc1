"""What is read is what was dealt and paid; lists go page by page, are narrowed, and cost the same."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tables.models import Receivable, Round, RoundStatus, WalletTransaction
from tests.tables.api.conftest import BANKER_WINS
from tests.tables.playing import NOON, Platform, make_table


def test_a_round_with_its_cards_and_reasons(rounds: list[Round], reader: Client) -> None:
    body = reader.get("/api/v1/rounds/B01-20261129-01-001-H").json()
    assert (body["id"], body["table"], body["shoe"], body["number"]) == (
        "B01-20261129-01-001-H",
        "B01",
        "B01-20261129-01",
        1,
    )
    assert (body["status"], body["outcome"], body["player_total"], body["banker_total"]) == (
        "settled",
        "banker",
        0,
        2,
    )
    assert body["rulebook"] == {"code": "commission", "version": 1}
    assert body["dealer"] == {"reference": "D-07", "name": "Mali Chantara"}
    assert body["claimed"]["outcome"] == "banker"
    [deal] = body["deals"]
    assert [(card["place"], card["card"]) for card in deal["cards"]] == [
        ("P1", "KS"),
        ("B1", "2H"),
        ("P2", "QD"),
        ("B2", "KH"),
        ("P3", "KC"),
        ("B3", "10H"),
    ]
    assert (deal["due"], deal["problem"]) == (None, None)
    assert len(deal["reasons"]) == 3
    assert (body["findings"], body["holds"]) == ([], [])


def test_a_round_that_waits_says_why(platform: Platform, reader: Client) -> None:
    name = platform.open_round()
    platform.say("betting_closed", round=name)
    platform.say("card", round=name, place="P1", card="AS")
    platform.say("card", round=name, place="P3", card="2S")  # B1 was due
    body = reader.get(f"/api/v1/rounds/{platform.round(name).public_id}").json()
    assert body["outcome"] is None
    assert [finding["may_change_money"] for finding in body["findings"]] == [True]
    assert len(body["holds"]) == 1


TYPED = {
    "as it is": "B01-20261129-01-001-H",
    "lower case": "b01-20261129-01-001-h",
    "with spaces": "B01 20261129 01 001 H",
    "letters for digits": "BO1-2O261129-O1-001-H",
}


def test_a_round_id_is_read_as_people_type_it(rounds: list[Round], reader: Client) -> None:
    for how, typed in TYPED.items():
        assert reader.get(f"/api/v1/rounds/{typed}").json()["id"] == "B01-20261129-01-001-H", how


def test_a_slip_and_an_unknown_round_are_told_apart(rounds: list[Round], reader: Client) -> None:
    slip = reader.get("/api/v1/rounds/B01-20261129-10-001-H")  # two neighbours swapped
    assert (slip.status_code, slip.json()["type"]) == (400, "urn:bluecard:problem:bad-round-id")
    assert slip.json()["did_you_mean"] == "B01-20261129-01-001-H"
    assert slip.json()["errors"][0]["rule"] == "wrong_check"
    unknown = reader.get("/api/v1/rounds/B03-20261129-02-041-K")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:bluecard:problem:not-found")
    assert "well-formed" in unknown.json()["detail"]
    nonsense = reader.get("/api/v1/rounds/yesterday")
    assert (nonsense.status_code, nonsense.json()["did_you_mean"]) == (400, None)


def test_bets_and_what_they_got(rounds: list[Round], reader: Client) -> None:
    rows = reader.get(f"/api/v1/rounds/{rounds[0].public_id}/bets").json()["items"]
    assert [(row["id"], row["bet"], row["stake_minor"], row["settled"]) for row in rows] == [
        ("b1", "banker", 200, {"revision": 1, "result": "won", "returned_minor": 390}),
        ("b2", "player", 200, {"revision": 1, "result": "lost", "returned_minor": 0}),
        ("b3", "tie", 100, {"revision": 1, "result": "lost", "returned_minor": 0}),
    ]
    assert rows[0]["player"]["reference"] == "P-10001"
    assert reader.get("/api/v1/bets/b1").json() == rows[0]
    assert reader.get("/api/v1/bets/nobody").status_code == 404


def test_a_bet_not_yet_settled_got_nothing(platform: Platform, reader: Client) -> None:
    platform.bet(platform.open_round(), ("a/b?c#d%", "P-1", "player", 200))
    body = reader.get("/api/v1/bets/a%2Fb%3Fc%23d%25").json()
    assert (body["id"], body["settled"], body["status"]) == ("a/b?c#d%", None, "accepted")


def test_a_settlement_and_its_lines(rounds: list[Round], reader: Client) -> None:
    [row] = reader.get(f"/api/v1/rounds/{rounds[0].public_id}/settlements").json()["items"]
    sums = (row["stakes_minor"], row["returned_minor"], row["kept_minor"], row["moved_minor"])
    assert sums == (500, 390, 110, 390)
    assert (row["revision"], row["deal"], row["bets_count"], row["players_count"]) == (1, 1, 3, 2)
    assert reader.get(f"/api/v1/settlements/{row['id']}").json() == row
    lines = reader.get(f"/api/v1/settlements/{row['id']}/lines").json()["items"]
    assert [(line["bet"], line["result"], line["returned_minor"]) for line in lines] == [
        ("b1", "won", 390),
        ("b2", "lost", 0),
        ("b3", "lost", 0),
    ]


def test_the_wallet_is_followed_from_where_one_stopped(rounds: list[Round], reader: Client) -> None:
    first = reader.get("/api/v1/wallet/transactions?limit=1").json()
    [row] = first["items"]
    assert (row["round"], row["kind"], row["amount_minor"], row["currency"]) == (
        rounds[0].public_id,
        "credit",
        390,
        "THB",
    )
    assert (row["bets"], row["player"]["reference"]) == (["b1", "b3"], "P-10001")
    assert (row["delivery"]["status"], row["owed_minor"]) == ("waiting", 0)
    assert first["has_more"] is True
    second = reader.get(f"/api/v1/wallet/transactions?after={first['after']}").json()
    assert [(row["bets"], row["amount_minor"]) for row in second["items"]] == [(["b4"], 4_500)]
    assert second["has_more"] is False
    third = reader.get(f"/api/v1/wallet/transactions?after={second['after']}").json()
    assert third == {"items": [], "after": second["after"], "has_more": False}


def test_what_stays_owed_is_told_with_the_transaction(rounds: list[Round], reader: Client) -> None:
    moved = WalletTransaction.objects.earliest("pk")
    Receivable.objects.create(
        transaction=moved, player=moved.player, amount_minor=90, currency="THB", booked_at=moved.created_at
    )
    items = reader.get("/api/v1/wallet/transactions").json()["items"]
    assert [row["owed_minor"] for row in items] == [90, 0]


def test_where_the_feed_has_got_to(platform: Platform, reader: Client) -> None:
    body = reader.get("/api/v1/tables/B01/feed").json()
    assert (body["next_seq"], body["gap"], body["shoe"], body["round"]) == (6, None, "B01-20261129-01", None)
    platform.event("heartbeat")  # number 6 is lost
    platform.say("heartbeat")
    assert reader.get("/api/v1/tables/B01/feed").json()["gap"] == {"first_seq": 6, "seen_seq": 7}


def test_looking_up(rounds: list[Round], reader: Client) -> None:
    answer = reader.get("/api/v1/lookup?q=b01-20261129-01-001-h").json()
    assert [(hit["kind"], hit["address"]) for hit in answer["hits"]] == [
        ("round", "/api/v1/rounds/B01-20261129-01-001-H")
    ]
    slip = reader.get("/api/v1/lookup?q=B01-20261129-10-001-H").json()
    assert slip["slip"] == "mistyped"
    assert [hit["label"] for hit in slip["suggestions"]] == ["B01-20261129-01-001-H"]
    assert [hit["kind"] for hit in reader.get("/api/v1/lookup?q=b1").json()["hits"]] == ["bet"]
    assert reader.get("/api/v1/lookup?q=B01 9999-12-31 23:59").json()["hits"] == []
    assert reader.get("/api/v1/lookup").json()["errors"][0]["field"] == "q"


# --- Lists ------------------------------------------------------------------------------------------


def pages(client: Client, address: str) -> list[list[Any]]:
    """Follow `next` to the end; no page twice."""
    found = []
    while address:
        assert len(found) < 30
        body = client.get(address).json()
        found.append([row.get("id", row.get("code", row.get("bet"))) for row in body["items"]])
        address = body["next"]
    return found


def test_pages_of_rounds_go_on_where_the_last_one_ended(
    rounds: list[Round], platform: Platform, reader: Client
) -> None:
    rounds.append(platform.play(BANKER_WINS))
    # Rounds of one moment are told apart by the order in which they were recorded.
    Round.objects.filter(pk=rounds[2].pk).update(betting_opened_at=rounds[1].betting_opened_at)
    ids = [round_.public_id for round_ in reversed(rounds)]
    assert pages(reader, "/api/v1/rounds?limit=1") == [[ids[0]], [ids[1]], [ids[2]]]
    assert pages(reader, "/api/v1/rounds?limit=2") == [ids[:2], ids[2:]]
    assert pages(reader, "/api/v1/rounds?limit=3") == [ids]
    assert pages(reader, "/api/v1/rounds?limit=1&status=settled&table=B01") == [[one] for one in ids]


def test_pages_of_bets_and_lines(rounds: list[Round], reader: Client) -> None:
    settlement = rounds[0].settlements.get().pk
    assert pages(reader, f"/api/v1/rounds/{rounds[0].public_id}/bets?limit=2") == [["b1", "b2"], ["b3"]]
    assert pages(reader, f"/api/v1/settlements/{settlement}/lines?limit=2") == [["b1", "b2"], ["b3"]]


def test_pages_of_tables(platform: Platform, reader: Client) -> None:
    make_table("B02", rulebook="commission")
    make_table("A01", rulebook="commission")
    assert pages(reader, "/api/v1/tables?limit=1") == [["A01"], ["B01"], ["B02"]]
    assert pages(reader, "/api/v1/tables?status=open") == [["B01"]]


FILTERS = {
    # what is asked: how many of the two rounds
    "": 2,
    "table=B01": 2,
    "table=B02": 0,
    "shoe=B01-20261129-01": 2,
    "shoe=B01-20261129-02": 0,
    "card_set=RED-041": 0,
    "dealer=D-07": 2,
    "dealer=D-08": 0,
    "status=settled": 2,
    "status=betting": 0,
    "from=2026-11-29": 2,
    "from=2026-11-30": 0,
    "to=2026-11-29": 0,
    "to=2026-11-30": 2,
    "from=2026-11-29T12:00:10%2B07:00": 1,
    "to=2026-11-29T12:00:10%2B07:00": 1,
    "from=2026-11-29T05:00:10Z&to=2026-11-29T05:00:11Z": 0,
}


def test_rounds_are_narrowed(rounds: list[Round], reader: Client) -> None:
    assert rounds[0].betting_opened_at == NOON + timedelta(seconds=6)
    assert rounds[1].betting_opened_at > NOON + timedelta(seconds=11)
    counts = {asked: len(reader.get(f"/api/v1/rounds?{asked}").json()["items"]) for asked in FILTERS}
    assert counts == FILTERS


WRONG_PARAMETERS = {
    # what is asked: the field and the rule in the answer
    "limit=0": ("limit", "min_value"),
    "limit=501": ("limit", "max_value"),
    "limit=ten": ("limit", "invalid"),
    "limit=1e400": ("limit", "invalid"),
    "limit=1.5": ("limit", "invalid"),
    "limit=5&limit=6": ("limit", "given_twice"),
    "page=2": ("page", "unknown_parameter"),
    "status=finished": ("status", "invalid_choice"),
    "from=yesterday": ("from", "moment"),
    "from=2026-11-31": ("from", "moment"),
    "from=2026-11-29T05:00:00": ("from", "moment"),
    "from=0001-01-01T00:00:00%2B14:00": ("from", "moment"),
    "to=9999-12-31T23:59:59-14:00": ("to", "moment"),
    "table=%00": ("table", "null_characters_not_allowed"),
    "table=BACCARAT": ("table", "max_length"),
    "cursor=x": ("cursor", "cursor"),
    "cursor=bnVsbA": ("cursor", "cursor"),
    "cursor=WyJ4IiwxXQ": ("cursor", "cursor"),
    "cursor=WyIyMDI2LTExLTI5IiwxXQ": ("cursor", "cursor"),
    "cursor=WyIyMDI2LTExLTI5VDA1OjAwOjAwWiIsIDFlNDAwXQ": ("cursor", "cursor"),
    "cursor=W1tbW1tb": ("cursor", "cursor"),
}


def test_a_wrong_parameter_is_named(platform: Platform, reader: Client) -> None:
    said = {}
    for asked in WRONG_PARAMETERS:
        answer = reader.get(f"/api/v1/rounds?{asked}")
        assert answer.status_code == 400, asked
        [error] = answer.json()["errors"]
        assert error["message"]
        said[asked] = (error["field"], error["rule"])
    assert said == WRONG_PARAMETERS


def test_what_was_dealt_from_a_set_of_cards(platform: Platform, reader: Client) -> None:
    platform.say("shoe_started", shoe="S-red", card_set="RED-041")
    round_ = platform.play(BANKER_WINS, ("r1", "P-1", "banker", 200))
    platform.say("shoe_started", shoe="S-blue", card_set="BLUE-7")
    platform.play(BANKER_WINS, ("r2", "P-1", "banker", 200))
    shoes = reader.get("/api/v1/shoes?card_set=RED-041").json()["items"]
    assert [(one["id"], one["card_set"]) for one in shoes] == [(round_.shoe.public_id, "RED-041")]
    rounds = reader.get("/api/v1/rounds?card_set=RED-041").json()["items"]
    assert [one["id"] for one in rounds] == [round_.public_id]


# --- Costs ------------------------------------------------------------------------------------------


def queries_of(client: Client, address: str) -> int:
    client.get(address)  # content types and the like are read once
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


#: Where players are named, one query more writes down that somebody saw them.
LISTS: dict[str, int] = {
    "/api/v1/tables": 2,
    "/api/v1/shoes": 2,
    "/api/v1/rounds": 2,
    "/api/v1/rounds/{round}/bets": 4 + 1,
    "/api/v1/rounds/{round}/settlements": 3,
    "/api/v1/settlements/{settlement}/lines": 3 + 1,
    "/api/v1/wallet/transactions": 5 + 1,
}


def test_a_list_of_20_costs_what_a_list_of_1_does(platform: Platform, reader: Client) -> None:
    def costs(round_: Round) -> dict[str, int]:
        names = {"round": round_.public_id, "settlement": round_.settlements.get().pk}
        return {pattern: queries_of(reader, pattern.format(**names)) for pattern in LISTS}

    one = platform.play(BANKER_WINS, ("b0", "P-0", "banker", 200))
    assert costs(one) == LISTS
    for number in range(1, 20):
        table = Platform(make_table(f"C{number:02}", rulebook="commission"))
        table.start()
        table.play(BANKER_WINS, (f"c{number}", f"P-{number}", "banker", 200))
    many = platform.play(BANKER_WINS, *((f"m{number}", f"P-{number}", "banker", 200) for number in range(20)))
    assert len(reader.get("/api/v1/rounds").json()["items"]) == 21
    assert costs(many) == LISTS


def test_a_round_costs_the_same_with_every_card_and_finding(platform: Platform, reader: Client) -> None:
    empty = platform.round(platform.open_round())
    address = f"/api/v1/rounds/{empty.public_id}"
    few = queries_of(reader, address)
    platform.deal(empty.platform_id, BANKER_WINS)
    assert queries_of(reader, address) == few
    assert Round.objects.get(pk=empty.pk).status == RoundStatus.RESULTED
