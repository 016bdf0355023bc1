"""The audit page: how far the proof reaches, the proof of one entry to take away, and nothing to change."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from audit.admin import proof
from audit.models import Checkpoint, Verification, WitnessState
from audit.queries.proof_status import proof_status
from audit.queries.verifying_progress import say_progress
from audit.services.verifying import Run
from audit.services.witnessing import show_witness
from casino.roles import ROLES
from tables.models import JournalEntry
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import make_user
from tests.audit.sealed import LOG, WITNESS, seal, witness_house, write
from tests.tables.playing import NOON, Platform

pytestmark = pytest.mark.django_db

PAGE = "/admin/audit/checkpoint/"


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, settings: Any) -> None:
    settings.JOURNAL_KEY_FILE = str(tmp_path / "journal.key")
    (tmp_path / "journal.pub").write_text(f"{LOG.verifier}\n")


@pytest.fixture
def auditor(platform: Platform) -> Client:
    return browser_of(make_user("orn", *ROLES["auditor"].permissions))


@pytest.fixture
def sealed(platform: Platform, tmp_path: Path) -> Iterator[int]:
    """Everything sealed and witnessed, and checked without a problem; the number of entries."""
    with witness_house(tmp_path / "newest") as house:
        seal()
        house.show()
        size = JournalEntry.objects.count()
        Verification.objects.create(
            size=size, started_at=NOON, finished_at=NOON + timedelta(minutes=3), problems_count=0
        )
        yield size


def text_of(client: Client, url: str = PAGE) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return re.sub(r"</?time[^>]*>", "", answer.content.decode())


def test_before_anything_is_sealed_the_page_says_so(auditor: Client) -> None:
    assert "Nothing is sealed yet" in text_of(auditor)
    assert "Nothing is sealed yet" in text_of(auditor, "/admin/")


def test_it_says_how_far_the_proof_reaches(auditor: Client, sealed: int, platform: Platform) -> None:
    # 05:00 UTC is noon in Bangkok, the house's zone.
    said = f"sealed to entry {sealed} at 12:00, witnessed to {sealed}, verified at 12:03"
    assert said in text_of(auditor)
    assert said in text_of(auditor, "/admin/")
    assert "All is as it was sealed" in text_of(auditor)
    assert str(LOG.verifier) in text_of(auditor)
    write(3, platform.table)
    assert "3 entries" in text_of(auditor)


def test_older_checkpoints_and_verifications_are_read_page_by_page(
    auditor: Client, sealed: int, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "SHOWN", 1)
    write(1, platform.table)
    seal()
    later = NOON + timedelta(minutes=9)
    run = Verification.objects.create(size=sealed + 1, started_at=later, finished_at=later, problems_count=0)
    newest = text_of(auditor)
    assert f"{PAGE}{sealed + 1}/change/" in newest and f"{PAGE}{sealed}/change/" not in newest
    assert f'href="?before={sealed + 1}"' in newest and f'href="?runs_before={run.pk}"' in newest
    older = text_of(auditor, f"{PAGE}?before={sealed + 1}")
    assert f"{PAGE}{sealed}/change/" in older and 'href="?before=' not in older
    assert "12:03:00" in text_of(auditor, f"{PAGE}?runs_before={run.pk}") and "12:03:00" not in newest


def test_what_was_found_is_named(auditor: Client, sealed: int) -> None:
    problem = {"kind": "entry_altered", "entry": 1, "words": "its bytes are not those that were sealed"}
    later = NOON + timedelta(minutes=9)
    Verification.objects.create(
        size=sealed, started_at=later, finished_at=later, problems_count=1, problems=[problem]
    )
    text = text_of(auditor)
    assert "Not as it was sealed" in text
    assert "its bytes are not those that were sealed" in text


def test_what_could_not_be_checked_is_not_called_altered(auditor: Client, sealed: int) -> None:
    run = Run(None, None, "")  # the journal's key is not there
    assert list(run.find()) == []
    kept = run.keep(NOON + timedelta(minutes=9), NOON + timedelta(minutes=9))
    assert (kept.problems_count, kept.problems[0]["kind"]) == (0, "no_key")
    for url in (PAGE, "/admin/"):
        text = text_of(auditor, url)
        assert "Not all could be checked" in text and "Not as it was sealed" not in text
    assert "no signature can be checked" in text_of(auditor)


def test_a_witness_that_does_not_answer_is_not_called_an_alteration(
    auditor: Client, sealed: int, platform: Platform
) -> None:
    write(1, platform.table)
    seal()
    show_witness(url="http://127.0.0.1:9", key=WITNESS.verifier, now=NOON)
    for url in (PAGE, "/admin/"):
        text = text_of(auditor, url)
        assert "The witness does not answer" in text and "Not as it was sealed" not in text
    # One that answers, and will not sign what it is shown, has something against the journal.
    WitnessState.objects.update(is_away=False, problem="history was rewritten")
    assert "Not as it was sealed" in text_of(auditor)


def test_a_checkpoint_s_note_is_taken_away(auditor: Client, sealed: int) -> None:
    assert "witness.test/w1" in text_of(auditor, f"{PAGE}{sealed}/change/")
    answer = auditor.get(f"{PAGE}{sealed}/note/")
    assert answer["Content-Disposition"] == f'attachment; filename="checkpoint-{sealed}.txt"'
    assert answer.content.decode().startswith(Checkpoint.objects.get().note)
    assert auditor.get(f"{PAGE}99999/note/").status_code == 404


def test_the_proof_of_one_entry_is_taken_away(auditor: Client, sealed: int, platform: Platform) -> None:
    entry = JournalEntry.objects.order_by("pk").first()
    assert f"{PAGE}entry/{entry.pk}/" in text_of(auditor, f"/admin/tables/journalentry/{entry.pk}/change/")
    lines = auditor.get(f"{PAGE}entry/{entry.pk}/").content.decode().splitlines()
    assert [json.loads(line).get("entry") for line in lines] == [None, entry.pk]
    [late] = write(1, platform.table, reason="a word nobody erased")
    page = text_of(auditor, f"/admin/tables/journalentry/{late.pk}/change/")
    assert f"{PAGE}entry/{late.pk}/" not in page
    assert "a word nobody erased" in page
    assert auditor.get(f"{PAGE}entry/{late.pk}/").status_code == 404


def test_who_may_not_see_the_proof_hears_how_far_it_reaches_and_is_led_nowhere(
    platform: Platform, sealed: int
) -> None:
    support = browser_of(make_user("pim", *ROLES["support"].permissions))
    entry = JournalEntry.objects.order_by("pk").first()
    for url in (PAGE, f"{PAGE}{sealed}/change/", f"{PAGE}{sealed}/note/", f"{PAGE}entry/{entry.pk}/"):
        assert support.get(url).status_code == 403, url
    page = support.get("/admin/").content.decode()
    assert f"sealed to entry {sealed} at" in page and PAGE not in page


def test_nothing_is_changed_there(auditor: Client, sealed: int) -> None:
    before = Checkpoint.objects.count(), JournalEntry.objects.count()
    assert auditor.get(f"{PAGE}add/").status_code == 403
    assert auditor.post(f"{PAGE}{sealed}/delete/", {"post": "yes"}).status_code == 403
    assert auditor.post(f"{PAGE}{sealed}/change/", {}).status_code == 403
    assert (Checkpoint.objects.count(), JournalEntry.objects.count()) == before


@pytest.mark.parametrize(
    ("done", "of", "words", "percent"),
    [
        (0, 0, "entries, leaves and checkpoints are compared", 0),
        (1500, 6000, "1,500 of 6,000 entries compared with their rows", 1),
    ],
)
def test_a_verification_under_way_is_among_the_jobs(
    done: int, of: int, words: str, percent: int, auditor: Client
) -> None:
    say_progress(done, of)
    page = text_of(auditor, "/admin/")
    assert words in page
    assert page.count("25 %") == percent


def test_a_verification_says_how_far_it_has_come(sealed: int) -> None:
    said = []

    def note() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SHOW application_name")
            said.append(cursor.fetchone()[0])

    assert proof_status().verifying is None
    assert list(Run(LOG.verifier, None, "").find(note)) == []
    assert said == [f"bluecard verifies 0/{sealed}", f"bluecard verifies {sealed}/{sealed}"]
