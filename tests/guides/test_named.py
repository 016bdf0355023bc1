"""What the guides name is there: commands, modules, files, pages and settings."""

import importlib.util
import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from casino.runtime.places import ROOT

GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {guide.name: guide.read_text(encoding="utf-8") for guide in GUIDES}
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
COMMAND = re.compile(r"manage(?:\.py)? ([a-z_]{3,})")
MODULE = re.compile(r"\bpython3? -m ([a-z_]+(?:\.[a-z_]+)*)")


@pytest.mark.parametrize("guide", TEXTS)
def test_every_link_leads_somewhere(guide: str) -> None:
    folder = ROOT if guide == "README.md" else ROOT / "docs"
    for address, heading in LINK.findall(TEXTS[guide]):
        if "://" in address:
            continue
        target = (folder / address).resolve() if address else folder / guide
        assert target.exists(), address
        if heading:
            assert heading in headings_of(target), f"{address}#{heading}"


@pytest.mark.parametrize("guide", TEXTS)
def test_every_command_and_module_is_there(guide: str) -> None:
    commands = get_commands()
    assert [name for name in COMMAND.findall(TEXTS[guide]) if name not in commands] == []
    assert [name for name in MODULE.findall(TEXTS[guide]) if importlib.util.find_spec(name) is None] == []


def test_something_is_looked_at() -> None:
    assert len(GUIDES) > 10
    assert sum(len(COMMAND.findall(text)) for text in TEXTS.values()) > 40
    assert sum(len(MODULE.findall(text)) for text in TEXTS.values()) > 10


def headings_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as they are made where it is read."""
    lines = page.read_text(encoding="utf-8").splitlines()
    titles = [line.lstrip("#").strip() for line in lines if re.match(r"#{1,4} ", line)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
