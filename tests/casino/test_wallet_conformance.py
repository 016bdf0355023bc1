"""The suite for wallet developers: ours passes it, and a wallet wrong in one way fails the check for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from casino.counterparts import handler, signature
from casino.counterparts.conformance.__main__ import main
from casino.counterparts.conformance.checks import CHECKS
from casino.counterparts.wallet import ledger as books
from casino.counterparts.wallet import server as face
from casino.counterparts.wallet.ledger import Answer, Ledger
from casino.counterparts.wallet.server import WalletServer
from tests.wallet_process import SECRET, WalletProcess

Patch = pytest.MonkeyPatch


@pytest.fixture
def url(tmp_path: Path, monkeypatch: Patch) -> Iterator[str]:
    """Provide a wallet in this process, so that it can be broken, its secret where the suite looks for it."""
    monkeypatch.setenv("WALLET_SECRET", SECRET)
    ledger = Ledger(tmp_path / "wallet.log", opening_minor=1_000)
    server = WalletServer(("127.0.0.1", 0), ledger=ledger, secret=SECRET.encode())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.stop()
    thread.join(60)
    server.server_close()


def test_our_wallet_holds_every_check_and_remembers_after_kill_9(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WALLET_SECRET", SECRET)
    with WalletProcess(tmp_path / "wallet.log") as process:

        def restart(command: str, **_: Any) -> None:
            assert command == "restart it"
            process.kill()
            process.start()

        monkeypatch.setattr("casino.counterparts.conformance.__main__.subprocess.run", restart)
        status = main([process.url, "--restart", "restart it"])
    said = capsys.readouterr().out
    assert (status, "FAIL" in said) == (0, False), said
    assert len(CHECKS) == 24
    assert said.splitlines()[-1] == "25 of 25 hold"


def test_it_can_be_run_for_accounts_that_exist(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    accounts = ["--player", "test-1", "--player", "test-2"]
    assert main([url, *accounts, "--currency", "EUR"]) == 0, capsys.readouterr().out


# --- wallets that are wrong -----------------------------------------------------------------------------


def _forget_keys(patch: Patch) -> None:
    patch.setattr(Ledger, "known", lambda *_: None)


def _forget_keys_of_one_request(patch: Patch) -> None:
    def answer(batch: Any, raw: object) -> Answer:
        batch._keys.clear()
        return ANSWER(batch, raw)

    patch.setattr(books._Batch, "answer", answer)


def _believe_everybody(patch: Patch) -> None:
    patch.setattr(handler, "check_signature", lambda *_, **__: None)


def _believe_any_time(patch: Patch) -> None:
    patch.setattr(signature, "WINDOW_SECONDS", 10**9)


def _believe_no_clock_but_its_own(patch: Patch) -> None:
    patch.setattr(signature, "WINDOW_SECONDS", 10)


def _sign_no_body(patch: Patch) -> None:
    def check(*arguments: Any, body: bytes, **named: Any) -> None:
        try:
            CHECK_SIGNATURE(*arguments, body=body, **named)
        except signature.NotSigned:
            if named["signature"] is None or b"conformance" not in body:
                raise
            CHECK_SIGNATURE(*arguments, body=b'{"messages": []}', **named)

    patch.setattr(handler, "check_signature", check)


def _overlook_other_bodies(patch: Patch) -> None:
    patch.setattr(books.Message, "fingerprint", lambda _: b"the same")


def _mind_the_order_of_bets(patch: Patch) -> None:
    patch.setattr(books.Message, "fingerprint", lambda message: repr(replace(message, force=False)).encode())


def _mind_force(patch: Patch) -> None:
    patch.setattr(
        books.Message,
        "fingerprint",
        lambda message: repr(replace(message, bets=tuple(sorted(message.bets)))).encode(),
    )


def _give_credit(patch: Patch) -> None:
    patch.setattr(books, "read_message", lambda raw: replace(READ_MESSAGE(raw), force=True))


def _force_nothing(patch: Patch) -> None:
    patch.setattr(books, "read_message", lambda raw: replace(READ_MESSAGE(raw), force=False))


def _remember_refusals(patch: Patch) -> None:
    """Let a debit that found too little take its key, as the wallet must not."""
    refused: dict[str, Answer] = {}

    def answer(batch: Any, raw: Any) -> Answer:
        key = raw.get("key") if isinstance(raw, dict) else None
        if key in refused:
            return refused[key]
        given = ANSWER(batch, raw)
        if given.status == "insufficient" and key is not None:
            refused[key] = given
        return given

    patch.setattr(books._Batch, "answer", answer)


def _say_nothing_of_what_is_there(patch: Patch) -> None:
    def answer(batch: Any, raw: object) -> Answer:
        given = ANSWER(batch, raw)
        return replace(given, available_minor=0) if given.status == "insufficient" else given

    patch.setattr(books._Batch, "answer", answer)


def _say_what_is_there_now(patch: Patch) -> None:
    def answer(batch: Any, raw: Any) -> Answer:
        given = ANSWER(batch, raw)
        if given.status != "duplicate":
            return given
        return replace(given, available_minor=batch._ledger.available(READ_MESSAGE(raw)))

    patch.setattr(books._Batch, "answer", answer)


def _skip_what_is_not_understood(patch: Patch) -> None:
    def read(raw: Any) -> Any:
        if isinstance(raw, dict):
            raw = {name: value for name, value in raw.items() if name in books.Message.__slots__}
        return READ_MESSAGE(raw)

    patch.setattr(books, "read_message", read)


def _all_or_nothing(patch: Patch) -> None:
    def post(ledger: Ledger, raw: Any, **named: Any) -> list[Answer]:
        for one in raw:
            try:
                READ_MESSAGE(one)
            except books.BadMessage:
                keys = [one.get("key") for one in raw]
                return [Answer(key, "refused", None, "one of them is bad") for key in keys]
        return POST(ledger, raw, **named)

    patch.setattr(Ledger, "post", post)


def _count_in_floating_point(patch: Patch) -> None:
    def read(raw: Any) -> Any:
        message = READ_MESSAGE(raw)
        return replace(message, amount_minor=int(float(message.amount_minor)))

    patch.setattr(books, "read_message", read)


def _swallow_the_last_answer(patch: Patch) -> None:
    patch.setattr(
        Ledger, "post", lambda ledger, raw, **named: POST(ledger, raw, **named)[: max(1, len(raw) - 1)]
    )


def _take_any_number(patch: Patch) -> None:
    patch.setattr(face, "MAX_MESSAGES", 10_000)


def _book_without_a_lock(patch: Patch) -> None:
    class NoLock:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    def append(*arguments: Any) -> None:
        time.sleep(0.2)  # what a slow disk does between the look and the booking
        APPEND(*arguments)

    def post(ledger: Ledger, raw: Any, **named: Any) -> list[Answer]:
        patch.setattr(ledger, "_lock", NoLock(), raising=True)
        return POST(ledger, raw, **named)

    patch.setattr(books, "_append", append)
    patch.setattr(Ledger, "post", post)


def _leave_the_newest_out_of_the_record(patch: Patch) -> None:
    patch.setattr(Ledger, "feed", lambda ledger, *, after, limit: FEED(ledger, after=after, limit=limit)[:-1])


def _overlap_pages(patch: Patch) -> None:
    patch.setattr(
        Ledger, "feed", lambda ledger, *, after, limit: FEED(ledger, after=max(after - 1, 0), limit=limit)
    )


def _book_late(patch: Patch) -> None:
    """Take everything for a credit to somebody else: nothing moves where it should."""

    def read(raw: Any) -> Any:
        return replace(READ_MESSAGE(raw), player="nobody in particular")

    patch.setattr(books, "read_message", read)


ANSWER, READ_MESSAGE, POST, FEED = books._Batch.answer, books.read_message, Ledger.post, Ledger.feed
APPEND, CHECK_SIGNATURE = books._append, signature.check_signature

WRONG = [
    (_believe_everybody, ["unsigned", "wrong-secret", "changed-body", "stale-signature"]),
    (_believe_any_time, ["stale-signature"]),
    (_believe_no_clock_but_its_own, ["clock-off"]),
    (_sign_no_body, ["changed-body"]),
    (_forget_keys, ["repeat", "conflict", "race-for-a-key", "lost-answer", "record"]),
    (_forget_keys_of_one_request, ["twice-in-one-request"]),
    (_overlook_other_bodies, ["conflict"]),
    (_mind_the_order_of_bets, ["repeat-in-other-order"]),
    (_mind_force, ["forced"]),
    (_give_credit, ["insufficient", "key-stays-free", "race-for-money"]),
    (_force_nothing, ["forced"]),
    (_remember_refusals, ["key-stays-free"]),
    (_say_nothing_of_what_is_there, ["insufficient"]),
    (_say_what_is_there_now, ["repeat"]),
    (_skip_what_is_not_understood, ["bad-message"]),
    (_all_or_nothing, ["bad-message"]),
    (_count_in_floating_point, ["exact"]),
    (_swallow_the_last_answer, ["five-hundred"]),
    (_take_any_number, ["refused-whole"]),
    (_book_without_a_lock, ["race-for-a-key", "race-for-money"]),
    (_leave_the_newest_out_of_the_record, ["record", "pages"]),
    (_overlap_pages, ["pages"]),
    (_book_late, ["record"]),
]


@pytest.mark.parametrize(("wrong", "checks"), WRONG, ids=lambda one: getattr(one, "__name__", "").strip("_"))
def test_a_wallet_that_is_wrong_fails(
    wrong: Any, checks: list[str], url: str, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong(monkeypatch)
    for name in checks:
        assert main([url, "--only", name]) == 1, name
        said = capsys.readouterr().out.splitlines()
        assert said[0].startswith(f"FAIL  {name}: ")
        assert said[-1] == "0 of 1 hold"


def test_each_check_but_the_plainest_was_seen_to_fail() -> None:
    seen = {name for _, checks in WRONG for name in checks}
    assert {one.name for one in CHECKS} - seen == {"credit", "kinds", "debit"}


def test_what_it_cannot_do_it_says(url: str, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([url, "--only", "nothing"]) == 2
    assert "no such check: nothing" in capsys.readouterr().err
    assert main(["http://127.0.0.1:9", "--only", "credit"]) == 2
    assert "nobody answers" in capsys.readouterr().err
    monkeypatch.delenv("WALLET_SECRET")
    assert main([url]) == 2
    assert main([url, "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 24
