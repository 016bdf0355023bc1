"""The witness: cosigns growth it can check, remembers before it answers, and refuses everything else."""

import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from audit.keys import NoKey, load_signer
from audit.models import Cosignature, WitnessState
from audit.rules.checkpoint import LOG_KEY, BadCheckpoint, Checkpoint, cosigned_at, sign
from audit.rules.merkle import consistency_proof, leaf_hash, root_of
from audit.witness import Witness
from casino.runtime.places import ROOT
from tests.audit.sealed import LOG, OTHER_LOG, SEEN_AT, WITNESS, WitnessHouse, seal, witness_house, write
from tests.tables.playing import make_table

ROWS = [leaf_hash(b"%d" % number) for number in range(9)]
OTHER_ROWS = [leaf_hash(b"other %d" % number) for number in range(9)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[WitnessHouse]:
    with witness_house(tmp_path / "newest") as house:
        yield house


def note(size: int, rows: list[bytes] = ROWS, signer: object = LOG, name: str = LOG.name) -> str:
    return sign(Checkpoint(name, size, root_of(rows[:size])), signer)


def asked(old: int, new: int, rows: list[bytes] = ROWS, **more: object) -> str:
    proof = consistency_proof(old, new, lambda level, first, last: rows[first:last] if not level else [])
    steps = "".join(b64encode(step).decode() + "\n" for step in proof)
    return f"old {old}\n{steps}\n{note(new, rows, **more)}"


def test_growth_is_cosigned_step_by_step(house: WitnessHouse) -> None:
    for old, new in [(0, 3), (3, 3), (3, 4), (4, 9)]:
        answer = house.witness.add(asked(old, new))
        assert (answer.status, cosigned_at(note(new) + answer.text, WITNESS.verifier)) == (200, SEEN_AT)
    assert house.store.read_text() == note(9) + answer.text


@pytest.mark.parametrize(
    ("request_text", "status", "why"),
    [
        (asked(0, 9), 409, "4\n"),
        (asked(3, 9), 409, "4\n"),
        (asked(4, 9, OTHER_ROWS), 422, "the proof leads to another newer root\n"),
        (asked(4, 4, OTHER_ROWS), 409, "4\n"),
        (asked(4, 9, signer=OTHER_LOG), 403, "no signature by bluecard.test/journal\n"),
        (asked(4, 9, name="other.test/journal"), 404, "this witness knows bluecard.test/journal only\n"),
        (asked(4, 9).replace("old 4", "old 10"), 400, "the old size is above the new one\n"),
        (asked(4, 9).replace("old 4", "old -4"), 400, "a request begins with"),
        (asked(4, 9).replace("old 4\n", "old 4\n!\n"), 400, "a line of the proof is no base64\n"),
        (asked(4, 9).replace("old 4\n", "old 4\n" + "AAAA\n" * 64), 400, "the proof is too long\n"),
        ("", 400, "a request begins with"),
        ("old 4\n\nno note", 400, "a checkpoint has a name, a number and a root"),
    ],
)
def test_anything_else_is_refused_and_forgets_nothing(
    house: WitnessHouse, request_text: str, status: int, why: str
) -> None:
    house.witness.add(asked(0, 4))
    before = house.store.read_text()
    answer = house.witness.add(request_text)
    assert answer.status == status
    assert answer.text.startswith(why)
    assert house.store.read_text() == before
    assert house.witness.add(asked(4, 9)).status == 200


def test_it_remembers_after_a_restart(tmp_path: Path, house: WitnessHouse) -> None:
    house.witness.add(asked(0, 4))
    again = Witness(signer=WITNESS, store=house.store, log_key=lambda: LOG.verifier)
    assert again.add(asked(0, 3)).text == "4\n"
    house.store.write_text("torn")
    with pytest.raises(BadCheckpoint):  # and does not begin anew, which would forget
        Witness(signer=WITNESS, store=house.store, log_key=lambda: LOG.verifier)


def test_it_waits_for_the_logs_key(tmp_path: Path) -> None:
    waiting = Witness(signer=WITNESS, store=tmp_path / "newest", log_key=lambda: None)
    assert waiting.add(asked(0, 4)).status == 503


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/health", 200),
        ("GET", "/checkpoint", 404),
        ("GET", "/other", 404),
        ("POST", "/other", 404),
        ("POST", "/add-checkpoint", 400),
    ],
)
def test_it_answers_http(house: WitnessHouse, method: str, path: str, status: int) -> None:
    content = b"\xff" if method == "POST" else None
    assert httpx.request(method, house.url + path, content=content).status_code == status


def test_a_request_that_is_too_long_is_not_read(house: WitnessHouse) -> None:
    assert httpx.post(f"{house.url}/add-checkpoint", content=b"x" * 70_000).status_code == 413


@pytest.mark.django_db
def test_the_sealer_shows_what_it_sealed_and_keeps_the_signature(house: WitnessHouse) -> None:
    table = make_table()
    seal()
    assert house.show().size == 2
    assert house.show() is None  # once is enough
    write(300, table)
    seal(limit=120)
    assert house.show().size == 122
    seal()
    assert house.show().size == 302
    assert list(Cosignature.objects.order_by("pk").values_list("checkpoint_id", flat=True)) == [2, 122, 302]
    assert Checkpoint.parse(httpx.get(f"{house.url}/checkpoint").text).size == 302


@pytest.mark.django_db
def test_what_the_product_believes_of_the_witness_does_not_matter(house: WitnessHouse) -> None:
    table = make_table()
    seal()
    house.show()
    write(3, table)
    seal()
    WitnessState.objects.update(size=0)
    assert house.show().size == 5
    write(3, table)
    seal()
    WitnessState.objects.update(size=99)
    assert house.show().size == 8


@pytest.mark.django_db
def test_a_witness_that_is_away_is_said_to_be_and_asked_again(
    house: WitnessHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_table()
    seal()
    with monkeypatch.context() as patch:
        patch.setattr(house, "url", "http://127.0.0.1:9")
        assert house.show().problem == "the witness does not answer: ConnectError"
    assert (house.show().size, WitnessState.objects.get().problem) == (2, "")


@pytest.mark.slow
def test_the_process_writes_down_where_it_listens_and_ends_when_told(tmp_path: Path) -> None:
    log_key = tmp_path / "journal.key"
    load_signer(log_key, "bluecard.test/journal", LOG_KEY, may_make=True)
    command = [sys.executable, "-m", "audit.witness", "--port", "0", "--folder", str(tmp_path / "w")]
    process = subprocess.Popen(
        [*command, "--log-key", str(log_key.with_suffix(".pub"))],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout.readline().startswith("witness listening on http://127.0.0.1:")
        url = (tmp_path / "w" / "url").read_text().strip()
        assert httpx.get(f"{url}/health").text == "ok\n"
        assert httpx.get(f"{url}/key").text == (tmp_path / "w" / "witness.pub").read_text()
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "w" / "witness.key").stat().st_mode & 0o777 == 0o600


def test_a_key_is_made_once_for_its_owner_alone_and_only_where_that_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "keys" / "journal.key"
    with pytest.raises(NoKey, match=r"make one with `manage\.py seal --make-key`"):
        load_signer(file, "a.test/journal", LOG_KEY, may_make=False, how="manage.py seal --make-key")
    made = load_signer(file, "a.test/journal", LOG_KEY, may_make=True)
    assert load_signer(file, "a.test/journal", LOG_KEY, may_make=False) == made
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert file.with_suffix(".pub").read_text() == f"{made.verifier}\n"
    with pytest.raises(NoKey, match=r"is that of a\.test/journal, not of b\.test/journal"):
        load_signer(file, "b.test/journal", LOG_KEY, may_make=True)
