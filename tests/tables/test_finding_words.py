"""What a finding tells is said in words: every detail that a service notes has its name."""

import ast
from collections.abc import Iterator
from typing import get_args, get_type_hints

import pytest
from django.utils import translation

from audit.services.effects import SHOE_ENDS
from audit.words import FACTS, PHASES
from casino.runtime.places import ROOT
from tables import words
from tables.admin.round_sheets import say_details
from tables.feed.events import ShoeEnded
from tables.rules.drawing import IllegalCoupCode

OWN = {"may_change_money", "round_"}  # columns of a finding, not details of it


def details_noted() -> Iterator[tuple[str, str]]:
    """Find the names of the details that the code notes with its findings."""
    for path in (ROOT / "tables").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "find":
                for keyword in node.keywords:
                    if keyword.arg and keyword.arg not in OWN:
                        yield path.name, keyword.arg


def test_every_detail_has_a_name() -> None:
    noted = set(details_noted())
    assert ("rounds.py", "last_round") in noted
    assert sorted(name for _file, name in noted if name not in words.DETAILS) == []
    assert {name for name in FACTS if name not in words.DETAILS} == set()


def test_codes_among_the_details_have_words() -> None:
    assert set(words.DETAIL_VALUES["fault"]) == set(IllegalCoupCode)
    assert set(PHASES) <= set(words.DETAIL_VALUES["phase"])


def test_every_end_of_a_shoe_has_words() -> None:
    by_the_table = get_args(get_type_hints(ShoeEnded)["reason"])
    by_ruling = [noted for _status, noted in SHOE_ENDS.values()]
    assert set(words.SHOE_ENDINGS) == {*by_the_table, *by_ruling}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "last round: 41, bet: Player Pair, phase: after four cards, face: unseen"),
        ("th", "รอบสุดท้าย: 41, เดิมพัน: เพลเยอร์คู่, ช่วง: หลังครบสี่ใบ, หน้าไพ่: ไม่เห็น"),
    ],
)
def test_details_are_said_in_the_language_of_the_reader(language: str, said: str) -> None:
    data = {"last_round": 41, "bet": "player_pair", "phase": "four_cards", "face": "unseen"}
    with translation.override(language):
        assert say_details(data) == said
