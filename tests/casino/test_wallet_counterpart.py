"""The wallet at the other end of HTTP: each key once, whatever goes wrong in between."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from casino.counterparts.signature import NotSigned, check_signature, expected_signature
from tests.wallet_process import ROOT, SECRET, WalletProcess

ROUND = "B03-20261129-02-041-K"


def message(player: str = "p1", amount_minor: int = 195, **changes: Any) -> dict[str, Any]:
    return {
        "key": f"{ROUND}/1/{player}",
        "round": ROUND,
        "revision": 1,
        "player": player,
        "kind": "credit",
        "amount_minor": amount_minor,
        "currency": "THB",
        "bets": ["b1", "b2"],
        **changes,
    }


@pytest.fixture
def wallet(tmp_path: Path) -> Iterator[WalletProcess]:
    with WalletProcess(tmp_path / "wallet.log") as process:
        yield process


@pytest.fixture(scope="module")
def any_wallet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WalletProcess]:
    """Give one wallet to all tests that only look at what their own request added."""
    with WalletProcess(tmp_path_factory.mktemp("wallet") / "wallet.log") as process:
        yield process


def test_a_credit_is_added_to_the_opening_balance(wallet: WalletProcess) -> None:
    assert wallet.post(message()) == [
        {"key": f"{ROUND}/1/p1", "status": "applied", "available_minor": 100_195, "reason": ""}
    ]
    assert wallet.money("p1") == 100_195
    assert wallet.money("p2") == 100_000
    assert wallet.money("p1", "EUR") == 100_000


def test_the_same_message_again_is_a_duplicate_with_the_first_answer(wallet: WalletProcess) -> None:
    wallet.post(message())
    wallet.post(message(key="later", amount_minor=5))
    [again] = wallet.post(message(bets=["b2", "b1"]))
    assert (again["status"], again["available_minor"]) == ("duplicate", 100_195)
    assert wallet.money("p1") == 100_200


@pytest.mark.parametrize(
    "change",
    [{"amount_minor": 196}, {"currency": "EUR"}, {"player": "p2"}, {"kind": "cancel"}, {"bets": ["b1"]},
     {"revision": 2}, {"round": "another"}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_key_with_another_body_is_a_conflict(any_wallet: WalletProcess, change: dict[str, Any]) -> None:
    any_wallet.post(message())
    before = any_wallet.booked()
    [answer] = any_wallet.post({**message(), **change})
    assert answer["status"] == "conflict"
    assert any_wallet.booked() == before


def test_a_key_twice_in_one_request_is_booked_once(wallet: WalletProcess) -> None:
    answers = wallet.post(message(), message(), message(amount_minor=1))
    assert [answer["status"] for answer in answers] == ["applied", "duplicate", "conflict"]
    assert wallet.money("p1") == 100_195


def test_a_debit_finds_the_money_or_is_insufficient(wallet: WalletProcess) -> None:
    debit = message(kind="adjustment", amount_minor=-100_001)
    assert wallet.post(debit)[0] == {
        "key": debit["key"],
        "status": "insufficient",
        "available_minor": 100_000,
        "reason": "not enough money",
    }
    assert wallet.money("p1") == 100_000
    # Nothing was booked, so the key is free, and money that came in the same request counts.
    answers = wallet.post(message(key="in", amount_minor=1), debit)
    assert [(answer["status"], answer["available_minor"]) for answer in answers] == [
        ("applied", 100_001),
        ("applied", 0),
    ]


def test_a_forced_debit_is_booked_whatever_is_there(wallet: WalletProcess) -> None:
    debit = message(kind="adjustment", amount_minor=-100_001)
    [answer] = wallet.post({**debit, "force": True})
    assert (answer["status"], answer["available_minor"]) == ("applied", -1)
    # How it was booked is no part of what the key names: the same without force moves nothing again.
    for again in (debit, {**debit, "force": True}):
        assert wallet.post(again)[0]["status"] == "duplicate"
    assert [row["forced"] for row in wallet.booked()] == [True]
    wallet.kill()
    wallet.start()
    assert wallet.money("p1") == -1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"amount_minor": 0}, "amount_minor"),
        ({"amount_minor": 1.5}, "amount_minor"),
        ({"amount_minor": True}, "amount_minor"),
        ({"amount_minor": "195"}, "amount_minor"),
        ({"amount_minor": 10**18 + 1}, "amount_minor"),
        ({"amount_minor": -1}, "credit"),
        ({"kind": "gift"}, "kind"),
        ({"revision": 0}, "revision"),
        ({"player": ""}, "player"),
        ({"key": "k" * 201}, "key"),
        ({"currency": "baht"}, "currency"),
        ({"bets": "b1"}, "bets"),
        ({"force": True}, "only a debit can be forced"),
        ({"force": 1, "kind": "adjustment", "amount_minor": -1}, "force must be true or false"),
        ({"priority": 1}, "unknown field: priority"),
    ],
)
def test_a_message_that_cannot_be_read_is_refused_alone(
    any_wallet: WalletProcess, change: dict[str, Any], reason: str
) -> None:
    before = any_wallet.booked()
    bad, good = any_wallet.post(message(key="bad") | change, message("good", key=f"beside {change}"[:99]))
    assert bad["status"] == "refused"
    assert reason in bad["reason"]
    assert good["status"] == "applied"
    assert [row["player"] for row in any_wallet.booked()[len(before) :]] == ["good"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"messages": []}', b'{"messages": [NaN]}', b"\xff\xfe", b"[" * 100_000,
     json.dumps({"messages": [message()] * 501}).encode()],
)  # fmt: skip
def test_a_request_that_cannot_be_read_is_answered_400_and_books_nothing(
    any_wallet: WalletProcess, body: bytes
) -> None:
    before = any_wallet.booked()
    response = send_signed(any_wallet, body)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"
    assert any_wallet.booked() == before


def test_five_hundred_messages_are_answered_each_by_itself(wallet: WalletProcess) -> None:
    answers = wallet.post(*(message(f"p{number}", number + 1) for number in range(500)))
    assert {answer["status"] for answer in answers} == {"applied"}
    assert wallet.money("p499") == 100_500


def test_the_feed_is_read_by_cursor(wallet: WalletProcess) -> None:
    wallet.post(message("p1"), message("p2"), message("p3"))
    first = wallet.request("GET", "/v1/transactions?limit=2").json()
    assert [row["number"] for row in first["transactions"]] == [1, 2]
    assert (first["next"], first["more"]) == (2, True)
    rest = wallet.request("GET", "/v1/transactions?after=2&limit=2").json()
    assert [(row["player"], row["amount_minor"], row["available_minor"]) for row in rest["transactions"]] == [
        ("p3", 195, 100_195)
    ]
    assert (rest["next"], rest["more"]) == (3, False)
    assert wallet.request("GET", "/v1/transactions?after=-1").status_code == 400
    assert wallet.request("GET", "/v1/transactions?limit=all").status_code == 400
    assert wallet.request("GET", "/v1/nothing").status_code == 404


# --- the books -------------------------------------------------------------------------------------


def test_everything_acknowledged_survives_kill_9_in_the_middle_of_the_work(wallet: WalletProcess) -> None:
    acknowledged: list[str] = []
    sent: list[dict[str, Any]] = []
    enough = threading.Event()

    def work() -> None:
        try:
            for number in range(100_000):
                batch = [message(f"p{n}", 10, key=f"k{number}/{n}") for n in range(20)]
                sent.extend(batch)
                acknowledged.extend(answer["key"] for answer in wallet.post(*batch))
                if number == 30:
                    enough.set()
        except httpx.HTTPError:
            return

    worker = threading.Thread(target=work)
    worker.start()
    assert enough.wait(30)
    wallet.kill()
    worker.join(60)
    wallet.start()
    booked = [row["key"] for row in wallet.booked()]
    assert booked[: len(acknowledged)] == acknowledged
    # Sent again, everything is there once: 10 for each time a player was in a batch.
    for start in range(0, len(sent), 500):
        wallet.post(*sent[start : start + 500])
    assert sorted(row["key"] for row in wallet.booked()) == sorted(one["key"] for one in sent)
    assert wallet.money("p7") == 100_000 + 10 * (len(sent) // 20)


def test_a_restart_keeps_answers_balances_and_the_first_opening_balance(wallet: WalletProcess) -> None:
    wallet.post(message(), message("p2", -300, kind="adjustment"))
    assert wallet.terminate() == 0
    wallet._opening_minor = 7
    wallet.start()
    assert (wallet.money("p1"), wallet.money("p2"), wallet.money("p3")) == (100_195, 99_700, 100_000)
    assert wallet.post(message())[0]["status"] == "duplicate"


def test_half_a_line_at_the_end_is_cut_off(wallet: WalletProcess) -> None:
    wallet.post(message())
    wallet.kill()
    whole = wallet.store.read_bytes()
    wallet.store.write_bytes(whole + b'0badcafe {"at":"2026-11-29T')
    wallet.start()
    assert wallet.money("p1") == 100_195
    assert wallet.store.read_bytes() == whole
    wallet.post(message("p2"))
    wallet.kill()
    wallet.start()
    assert wallet.money("p2") == 100_195


def test_a_damaged_line_inside_stops_the_start(wallet: WalletProcess) -> None:
    wallet.post(message(amount_minor=195))
    wallet.kill()
    damaged = wallet.store.read_bytes().replace(b'"amount_minor":195', b'"amount_minor":995')
    wallet.store.write_bytes(damaged)
    status, said = run_to_the_end(wallet)
    assert status == 1
    assert "line 2: damaged" in said


def test_two_processes_do_not_share_a_store(wallet: WalletProcess) -> None:
    status, said = run_to_the_end(wallet)
    assert status == 1
    assert "another process keeps" in said


def test_no_secret_no_wallet(wallet: WalletProcess) -> None:
    status, said = run_to_the_end(wallet, secret="")
    assert status == 2
    assert "WALLET_SECRET" in said


# --- faults ----------------------------------------------------------------------------------------


def test_a_lost_answer_leaves_the_money_booked(wallet: WalletProcess) -> None:
    wallet.switch_on("lose_answer")
    with pytest.raises(httpx.HTTPError):
        wallet.post(message())
    assert wallet.money("p1") == 100_195
    assert wallet.post(message())[0]["status"] == "duplicate"


@pytest.mark.parametrize("requests", [1, 2])
def test_a_500_books_nothing_and_goes_away_after_so_many_requests(
    wallet: WalletProcess, requests: int
) -> None:
    wallet.switch_on("error_500", requests=requests)
    for _ in range(requests):
        response = wallet.request("POST", "/v1/transactions", {"messages": [message()]})
        assert response.status_code == 500
        assert wallet.booked() == []
    assert wallet.post(message())[0]["status"] == "applied"


def test_a_time_out_says_nothing_and_books_nothing(wallet: WalletProcess) -> None:
    wallet.switch_on("timeout", seconds=0)
    with pytest.raises(httpx.RemoteProtocolError):
        wallet.post(message())
    assert wallet.booked() == []


def test_a_time_out_does_not_keep_the_wallet_from_stopping_or_from_others(wallet: WalletProcess) -> None:
    wallet.switch_on("timeout", seconds=600)

    def wait_for_an_answer() -> None:
        with pytest.raises(httpx.HTTPError):
            wallet.post(message())

    held = threading.Thread(target=wait_for_an_answer)
    held.start()
    while wallet.request("GET", "/v1/faults").json()["faults"]:
        assert held.is_alive()
    assert wallet.post(message("p2"))[0]["status"] == "applied"
    assert wallet.terminate() == 0
    held.join(60)
    assert not held.is_alive()


def test_answering_twice_gives_both_answers_and_books_once(wallet: WalletProcess) -> None:
    wallet.switch_on("answer_twice")
    answers = wallet.post(message())
    assert [answer["status"] for answer in answers] == ["applied", "duplicate"]
    assert wallet.money("p1") == 100_195


def test_one_player_is_refused_and_another_short_of_money(wallet: WalletProcess) -> None:
    wallet.switch_on("refuse_player", player="p1", reason="self-excluded", requests=2)
    wallet.switch_on("short_of_money", player="p2", available_minor=30)
    debit = message("p2", -40, kind="adjustment")
    answers = wallet.post(message("p1"), debit, message("p3"))
    assert [(answer["status"], answer["available_minor"], answer["reason"]) for answer in answers] == [
        ("refused", 100_000, "self-excluded"),
        ("insufficient", 30, "not enough money"),
        ("applied", 100_195, ""),
    ]
    assert [answer["status"] for answer in wallet.post(message("p1"), debit)] == ["refused", "applied"]
    assert wallet.post(message("p1"))[0]["status"] == "applied"


def test_faults_are_listed_cleared_and_checked(wallet: WalletProcess) -> None:
    wallet.switch_on("error_500", requests=3)
    [listed] = wallet.request("GET", "/v1/faults").json()["faults"]
    assert (listed["fault"], listed["requests"]) == ("error_500", 3)
    assert wallet.request("DELETE", "/v1/faults").json() == {"faults": []}
    assert wallet.post(message())[0]["status"] == "applied"
    for bad in ({}, {"fault": "fire"}, {"fault": "refuse_player"}, {"fault": "timeout", "player": "p1"},
                {"fault": "timeout", "requests": 0}, {"fault": "timeout", "nonsense": 1}):  # fmt: skip
        assert wallet.request("POST", "/v1/faults", bad).status_code == 400


# --- who asks --------------------------------------------------------------------------------------


def send_signed(wallet: WalletProcess, body: bytes, **changes: str | None) -> httpx.Response:
    """Post bytes with a signature made here, or with its headers changed or left out."""
    timestamp = changes.get("signed_at") or str(int(time.time()))
    signed = expected_signature(
        (changes.get("secret") or SECRET).encode(),
        timestamp=timestamp,
        method="POST",
        target=changes.get("target") or "/v1/transactions",
        body=body,
    )
    headers = {"X-Bluecard-Timestamp": changes.get("timestamp", timestamp), "X-Bluecard-Signature": signed}
    kept = {name: value for name, value in headers.items() if value is not None}
    with httpx.Client(trust_env=False) as client:
        return client.post(f"{wallet.url}/v1/transactions", content=body, headers=kept)


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"secret": "another"}, "does not fit"),
        ({"target": "/v1/faults"}, "does not fit"),
        ({"timestamp": None}, "are required"),
        ({"timestamp": "yesterday"}, "whole seconds"),
        ({"timestamp": "1764374400"}, "more than 300 seconds"),
        ({"signed_at": "1764374400"}, "more than 300 seconds"),
        ({"timestamp": str(int(time.time()) + 60)}, "does not fit"),
    ],
)
def test_a_request_that_is_not_ours_is_answered_401_and_books_nothing(
    any_wallet: WalletProcess, changes: dict[str, str | None], detail: str
) -> None:
    before = any_wallet.booked()
    body = json.dumps({"messages": [message(key=f"sent with {changes}"[:200])]}).encode()
    response = send_signed(any_wallet, body, **changes)
    assert response.status_code == 401
    assert detail in response.json()["detail"]
    assert any_wallet.booked() == before


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/v1/players/p1"),
        ("GET", "/v1/transactions"),
        ("POST", "/v1/faults"),
        ("DELETE", "/v1/faults"),
    ],
)
def test_nothing_but_health_answers_without_a_signature(
    any_wallet: WalletProcess, method: str, target: str
) -> None:
    with httpx.Client(trust_env=False) as client:
        assert client.request(method, any_wallet.url + target).status_code == 401
        assert client.get(any_wallet.url + "/health").json()["status"] == "ok"


@pytest.mark.parametrize(("seconds", "accepted"), [(-301, False), (-300, True), (300, True), (301, False)])
def test_the_replay_window_ends_at_300_seconds_either_way(seconds: int, accepted: bool) -> None:
    request = {"timestamp": "1796000000", "method": "POST", "target": "/v1/transactions", "body": b"{}"}
    # Made once with `openssl dgst -sha256 -hmac secret` over the four parts.
    signed = "v1=7c2f7cc131a020fba13184f6abb59a61a460d3b765bea8f49c78da1251396b3c"
    if accepted:
        check_signature(b"secret", signature=signed, now=1796000000 + seconds, **request)
        return
    with pytest.raises(NotSigned, match="300 seconds"):
        check_signature(b"secret", signature=signed, now=1796000000 + seconds, **request)


def run_to_the_end(wallet: WalletProcess, secret: str = SECRET) -> tuple[int, str]:
    """Run another wallet on the same store, which is expected to give up, and return what it said."""
    done = subprocess.run(
        wallet.command(port=0),
        cwd=ROOT,
        env={"WALLET_SECRET": secret},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stderr
