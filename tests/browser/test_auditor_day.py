"""An auditor's day: all is seen, taken away and checked where the product is not; nothing is changed."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from audit.models import EvidencePack
from audit.tasks import make_packs
from tables.models import JournalEntry, Round
from tests.audit.sealed import LOG, seal
from tests.browser.walks import TWO_LOOKS, Open, check, void

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHANGING = "main form[method=post]"


@pytest.fixture
def voided(swapped: Round, tmp_path: Path, settings: Any) -> Round:
    """Provide a round that two persons voided, in a journal that has a key."""
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    settings.JOURNAL_KEY_FILE = str(tmp_path / "journal.key")
    (tmp_path / "journal.pub").write_text(f"{LOG.verifier}\n")
    void(swapped, reason="camera 3 shows it")
    return swapped


def taken(page: Page, link: str) -> bytes:
    """Click what gives a file, and return the file."""
    with page.expect_download() as kept:
        page.locator(link).first.click()
    return Path(kept.value.path()).read_bytes()


def verified(folder: Path, name: str, data: bytes, checker: bytes, *keys: str) -> tuple[int, str]:
    """Check a file as an outsider does: one script, alone in a folder, with the keys from elsewhere."""
    (folder / name).write_bytes(data)
    (folder / "verify.py").write_bytes(checker)
    options = [word for key in keys for word in ("--key", key)]
    done = subprocess.run(
        [sys.executable, "-I", "verify.py", name, *options],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(("width", "language"), TWO_LOOKS)
def test_what_was_decided_is_read_proven_and_taken_away(
    width: int, language: str, voided: Round, open_as: Open, tmp_path: Path
) -> None:
    page = open_as("/admin/", "auditor", width=width, language=language)
    check(page)
    page.goto(page.url + "tables/round/?q=" + voided.public_id)
    page.locator("tbody th a").first.click()
    expect(page.locator(CHANGING)).to_have_count(0)
    page.locator("a[href*='/audit/ruling/'][href$='/change/']").first.click()
    expect(page.locator("main")).to_contain_text("camera 3 shows it")
    expect(page.locator(CHANGING)).to_have_count(0)
    page.locator("main a[href*='/journalentry/of/']").first.click()
    expect(page.locator("main blockquote").filter(has_text="camera 3 shows it")).to_have_count(1)
    check(page)

    page.go_back()
    page.goto(page.url.split("/admin/")[0] + f"/admin/tables/round/{voided.pk}/change/")
    page.locator("a[href*='/evidencepack/ask/round/']").click()
    page.locator("main form button").click()
    page.wait_for_url("**/evidencepack/*/change/")
    pack = EvidencePack.objects.get()
    seal()
    make_packs([pack.pk])
    page.reload()
    check(page)
    kept = taken(page, f"a[href$='/evidencepack/{pack.pk}/file/']")
    files = zipfile.ZipFile(io.BytesIO(kept))
    checker = files.read("verify.py")
    status, said = verified(
        tmp_path, "pack.zip", kept, checker, files.read("evidence.pub").decode(), str(LOG.verifier)
    )
    assert (status, said.splitlines()[0].split()[0]) == (0, "VALID"), said

    entry = JournalEntry.objects.get(action="ruling.approved")
    page.goto(page.url.split("/admin/")[0] + f"/admin/tables/journalentry/{entry.pk}/change/")
    check(page)
    proof = taken(page, f"a[href$='/entry/{entry.pk}/']")
    status, said = verified(tmp_path, "entry.jsonl", proof, checker, str(LOG.verifier))
    assert status == 0, said
    page.goto(page.url.split("/admin/")[0] + "/admin/audit/checkpoint/")
    check(page)


@pytest.mark.parametrize(
    "path",
    [
        "/admin/audit/ruling/{ruling}/approve/",
        "/admin/audit/incident/report/round/{round}/",
        "/admin/audit/setupchange/ask/thresholds/",
    ],
)
def test_an_auditor_is_told_that_changing_is_not_theirs(path: str, voided: Round, open_as: Open) -> None:
    ruling = voided.ruling_rounds.get().ruling_id
    page = open_as(path.format(ruling=ruling, round=voided.pk), "auditor", language="th")
    expect(page.locator("h1")).to_be_visible()
    assert page.request.get(page.url).status in (403, 404, 405)
    check(page)
