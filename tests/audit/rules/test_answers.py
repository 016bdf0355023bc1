"""Answers begin in both languages, say nothing beyond the rule to a late one, and fit the state."""

import pytest

from audit.rules.answers import TEMPLATES, fitting_template

FACTS = {
    "number": "C-0031",
    "round": "B05-20261128-09-017-T",
    "due": "9 Dec 2026 23:29",
    "missing": "ชื่อดีลเลอร์",
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_template_is_whole_in_both_languages(name: str) -> None:
    for language in ("en", "th"):
        text = TEMPLATES[name].fill(language, FACTS)  # type: ignore[arg-type]
        assert "C-0031" in text and "{" not in text and "–" not in text


def test_a_late_one_gets_no_further_explanation() -> None:
    english = TEMPLATES["late"].fill("en", FACTS)
    assert english == (
        "Dear player,\n\nwe cannot take your complaint.\n\nYour complaint has the number C-0031."
    )
    for word in ("late", "24", "time", "ช้า", "เวลา"):
        assert word not in english and word not in TEMPLATES["late"].th


def test_what_is_not_known_is_a_dash() -> None:
    assert "round – on video" in TEMPLATES["rejected"].fill("en", {"number": "C-0031"})


@pytest.mark.parametrize(
    ("status", "refusal", "outcome", "name"),
    [
        ("waiting", "", "", "information"),
        ("accepted", "", "", "accepted"),
        ("accepted", "late", "", "accepted"),
        ("refused", "late", "", "late"),
        ("refused", "by_agent", "", "by_agent"),
        ("refused", "unknown_round", "", "unknown_round"),
        ("upheld", "", "upheld", "upheld"),
        ("closed", "", "upheld", "upheld"),
        ("closed", "", "rejected", "rejected"),
        ("under_review", "", "", "accepted"),
    ],
)
def test_the_template_that_fits(status: str, refusal: str, outcome: str, name: str) -> None:
    assert fitting_template(status, refusal, outcome) == name
