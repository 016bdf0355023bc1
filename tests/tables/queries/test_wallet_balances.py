"""The wallet's balances as advice: read where it answers, left out where not, never waited for long."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tables.queries.wallet_balances import read_balances
from tests.wallet_process import SECRET, WalletProcess


@pytest.fixture
def wallet(tmp_path: Path, settings: Any) -> Iterator[WalletProcess]:
    with WalletProcess(tmp_path / "wallet.log", opening_minor=4_000) as process:
        settings.WALLET_URL, settings.WALLET_SECRET = process.url, SECRET
        yield process


def test_each_player_has_what_was_booked_and_else_the_opening_balance(wallet: WalletProcess) -> None:
    credit = {"key": "R/1/1", "round": "R", "revision": 1, "player": "lek/ä", "kind": "credit"}
    wallet.post({**credit, "amount_minor": 500, "currency": "THB", "bets": ["b1"]})
    seen = read_balances(["lek/ä", "noi", "noi"], "THB", seconds=30)
    assert (seen.found, seen.is_complete) == ({"lek/ä": 4_500, "noi": 4_000}, True)


def test_nobody_to_ask_about_is_complete(wallet: WalletProcess) -> None:
    assert read_balances([], "THB").is_complete


def test_a_wallet_that_is_away_says_nothing(settings: Any) -> None:
    settings.WALLET_SECRET = SECRET
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: refused at once
        seen = read_balances(["lek"], "THB", url=f"http://127.0.0.1:{closed.getsockname()[1]}")
    assert (seen.found, seen.is_complete) == ({}, False)


def test_a_wallet_that_does_not_answer_is_not_waited_for(settings: Any) -> None:
    settings.WALLET_SECRET = SECRET
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        many = [f"P-{number}" for number in range(12)]
        seen = read_balances(many, "THB", seconds=2, url=f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert (seen.found, seen.is_complete) == ({}, False)
    assert time.monotonic() - began < 16  # twelve times two would be longer
