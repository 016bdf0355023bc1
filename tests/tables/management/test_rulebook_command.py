"""`manage.py rulebook check`: problems by file and line, and the exit status."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tables.models import JournalEntry, Rulebook

SHIPPED = Path(__file__).parents[3] / "tables" / "rulebooks"


def check(*files: Path) -> tuple[list[str], int]:
    written = StringIO()
    status = 0
    try:
        call_command("rulebook", "check", *map(str, files), stdout=written)
    except SystemExit as end:
        status = int(end.code or 0)
    return written.getvalue().splitlines(), status


def test_a_good_document() -> None:
    document = SHIPPED / "commission.yaml"
    assert check(document) == ([f"{document}: a rulebook, 0 errors, 0 warnings"], 0)


def test_every_file_is_checked_and_one_with_errors_decides_the_status(tmp_path: Path) -> None:
    text = (SHIPPED / "commission.yaml").read_text(encoding="utf-8")
    wrong, generous = tmp_path / "wrong.yaml", tmp_path / "generous.yaml"
    wrong.write_text(text.replace("decks: 8", "decks: 9"), encoding="utf-8")
    generous.write_text(text.replace("odds: 8}", "odds: 9.6}"), encoding="utf-8")
    line = text[: text.index("cards: {")].count("\n") + 1
    tie = text[: text.index("  tie:\n")].count("\n") + 1
    lines, status = check(wrong, generous)
    assert lines == [
        f"{wrong}:{line}: error: cards.decks: 9 decks: a shoe holds 6 or 8",
        f"{wrong}: not a rulebook, 1 errors, 0 warnings",
        # 10.6 x 0.095156 = 1.008653
        f"{generous}:{tie}: warning: bets.tie: favours the player by 0.86 %",
        f"{generous}: a rulebook, 0 errors, 1 warnings",
    ]
    assert status == 1
    assert check(generous)[1] == 0


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"caf\xe9")
    with pytest.raises(CommandError, match="not UTF-8 text") as no_text:
        check(tmp_path / "latin.yaml")
    assert no_text.value.returncode == 1
    with pytest.raises(CommandError, match="cannot be read") as missing:
        check(tmp_path / "missing.yaml")
    assert missing.value.returncode == 2


def test_an_empty_document(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").touch()
    lines, status = check(tmp_path / "empty.yaml")
    assert (lines[0], status) == (f"{tmp_path / 'empty.yaml'}:1: error: the document is empty", 1)


@pytest.mark.django_db
def test_documents_are_published_in_one_go() -> None:
    written = StringIO()
    files = [str(SHIPPED / name) for name in ("commission.yaml", "no-commission.yaml")]
    call_command("rulebook", "publish", *files, "--from", "2026-12-01T06:00+07:00", stdout=written)
    ends = ", from 2026-11-30 23:00 UTC"
    assert [line.endswith(ends) for line in written.getvalue().splitlines()] == [True, True]
    assert list(Rulebook.objects.order_by("code").values_list("code", "version")) == [
        ("commission", 1),
        ("no-commission", 1),
    ]


@pytest.mark.django_db
def test_one_that_is_no_rulebook_keeps_all_from_being_published(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    text = (SHIPPED / "no-commission.yaml").read_text(encoding="utf-8")
    wrong.write_text(text.replace("decks: 8", "decks: 9"), encoding="utf-8")
    written = StringIO()
    with pytest.raises(CommandError, match=r"wrong\.yaml: not a rulebook; .*9 decks: a shoe holds 6 or 8"):
        call_command("rulebook", "publish", str(SHIPPED / "commission.yaml"), str(wrong), stdout=written)
    assert written.getvalue() == ""
    assert not Rulebook.objects.exists()
    assert not JournalEntry.objects.filter(action="rulebook.published").exists()


@pytest.mark.django_db
def test_one_that_comes_too_late_keeps_all_from_being_published(tmp_path: Path) -> None:
    last = str(SHIPPED / "no-commission.yaml")
    call_command("rulebook", "publish", last, "--from", "2026-12-01T00:00Z", stdout=StringIO())
    newer = tmp_path / "newer.yaml"
    newer.write_text(Path(last).read_text(encoding="utf-8") + "\n# said anew\n", encoding="utf-8")
    first = str(SHIPPED / "commission.yaml")
    with pytest.raises(CommandError, match="takes effect only at 2026-12-01"):
        call_command("rulebook", "publish", first, str(newer), "--from", "2026-11-01T00:00Z")
    assert list(Rulebook.objects.values_list("code", flat=True)) == ["no-commission"]
