"""The recorder keeps what it was asked to hold and forgets the rest, whatever dies in between."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from audit.recorder_client import NoAnswer
from casino.counterparts.recorder.shelf import Piece, Shelf
from tests.audit.recorder import OwnRecorder

NAME = UUID("6b3fd4e4-0000-4000-8000-00000000c0de")
NOON = datetime(2026, 11, 29, 5, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[OwnRecorder]:
    with OwnRecorder(tmp_path / "recorder.log") as started:
        yield started


def piece(ends: datetime | None = NOON) -> Piece:
    return Piece("B05", NOON - timedelta(minutes=1), ends)


@pytest.mark.parametrize(
    ("ends", "now", "word"),
    [
        (NOON, NOON + timedelta(hours=24), "held"),
        (NOON, NOON + timedelta(hours=24) + MOMENT, "lapsed"),
        (None, NOON + timedelta(hours=48), "held"),  # it goes on, so its last part is there
        (NOON, NOON - timedelta(hours=1), "refused"),  # still to come
    ],
)
def test_what_is_older_than_24_hours_has_been_recorded_over(
    tmp_path: Path, ends: datetime | None, now: datetime, word: str
) -> None:
    assert Shelf(tmp_path / "r.log").hold("a", piece(ends), now=now).status == word


def test_a_hold_outlives_the_process_and_a_line_that_was_cut_off(tmp_path: Path) -> None:
    store = tmp_path / "r.log"
    Shelf(store).hold("a", piece(), now=NOON)
    with store.open("a") as file:
        file.write('{"do": "hold", "id": "b", "cam')
    again = Shelf(store)
    assert again.holds() == {
        "a": {"camera": "B05", "from": "2026-11-29T04:59:00+00:00", "to": "2026-11-29T05:00:00+00:00"}
    }
    # Held long ago, so it is still there a month later; asked for anew it would be gone.
    assert again.hold("a", piece(), now=NOON + timedelta(days=30)).status == "held"
    assert again.release("a", now=NOON).status == "released"
    assert Shelf(store).hold("a", piece(), now=NOON).status == "refused"


def test_held_and_released_over_http_as_often_as_one_asks(recorder: OwnRecorder) -> None:
    now = datetime.now(UTC)
    with recorder.client() as client:
        for _ in range(2):
            assert client.hold(NAME, camera="B05", from_at=now, to_at=None) == ("held", "")
        assert list(recorder.shelf.holds()) == [str(NAME)]
        for _ in range(2):
            assert client.release(NAME) == ("released", "")
        assert recorder.shelf.holds() == {}


def test_another_secret_gets_nothing(recorder: OwnRecorder) -> None:
    with recorder.client("another") as client, pytest.raises(NoAnswer, match="HTTP 401"):
        client.release(NAME)


@pytest.mark.parametrize("fault", ["error_500", "lose_answer"])
def test_a_fault_is_no_answer_and_the_next_request_gets_one(recorder: OwnRecorder, fault: str) -> None:
    recorder.server.faults.append(fault)
    now = datetime.now(UTC)
    with recorder.client() as client:
        with pytest.raises(NoAnswer):
            client.hold(NAME, camera="B05", from_at=now, to_at=now)
        assert client.hold(NAME, camera="B05", from_at=now, to_at=now) == ("held", "")


def test_watching_says_whether_it_is_still_there(recorder: OwnRecorder) -> None:
    now = datetime.now(UTC)
    for begins, said in (
        (now - timedelta(hours=1), "plays it here"),
        (now - timedelta(days=3), "recorded over"),
    ):
        asked = {"camera": "B05<b>", "from": begins.isoformat(), "to": now.isoformat()}
        page = httpx.get(f"{recorder.url}/v1/video", params=asked, trust_env=False)
        assert page.status_code == 200 and said in page.text and "B05&lt;b&gt;" in page.text
    assert httpx.get(f"{recorder.url}/v1/video", params={"camera": "B05"}, trust_env=False).status_code == 400
