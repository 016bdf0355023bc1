"""The key of evidence packs: made once, for its owner alone, and in production only when asked for."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.rules.checkpoint import VerifierKey

LINE = re.compile(r"^house\.test/evidence\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\n$")


@pytest.fixture
def key_file(tmp_path: Path, settings: Any) -> Path:
    settings.EVIDENCE_NAME = "house.test/evidence"
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    settings.IS_PRODUCTION = True
    return tmp_path / "keys" / "evidence.key"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("evidence_key", *arguments)
    return capsys.readouterr().out


def test_in_production_it_is_made_only_when_asked_for(
    key_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=r"make one with `manage\.py evidence_key --make`"):
        call_command("evidence_key")
    assert not key_file.exists()
    made = said(capsys, "--make")
    assert LINE.match(made)
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert key_file.with_suffix(".pub").read_text() == made
    assert VerifierKey.parse(made.strip()).name == "house.test/evidence"
    assert said(capsys) == said(capsys, "--make") == made  # a second time it is the same


def test_elsewhere_it_is_made_when_first_wanted(
    key_file: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.IS_PRODUCTION = False
    assert LINE.match(said(capsys))
    assert key_file.exists()


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("another.test/evidence", None, "is that of house.test/evidence, not of another.test/evidence"),
        ("house.test/evidence", "no key", "a private key is written"),
    ],
)
def test_another_key_is_not_taken_for_it(
    name: str, text: str | None, why: str, key_file: Path, settings: Any
) -> None:
    call_command("evidence_key", "--make")
    if text is not None:
        key_file.write_text(text)
    settings.EVIDENCE_NAME = name
    with pytest.raises(CommandError, match=re.escape(why)):
        call_command("evidence_key")
