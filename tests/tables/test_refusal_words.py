"""Why the feed was refused, in the reader's language, with what it was told beside it."""

import re
from pathlib import Path

from django.utils import translation

import tables
from tables.refusal_words import error_words, rule_words

TOLD = "round: is settled, so it takes no bets (round/states)"


def test_a_rule_is_said_and_what_the_feed_was_told_stands_beside_it() -> None:
    with translation.override("th"):
        said = error_words(TOLD)
    assert said.startswith(translation.trans_real.translation("th").gettext(str(rule_words("round/states"))))
    assert said.endswith(f'lang="en">{TOLD}</span>')


def test_what_names_no_rule_stands_as_it_was_told() -> None:
    for told in ("nobody knows why", "too long to end in its rule (round/sta", "x (no/such-rule)"):
        assert error_words(told) == f'<span lang="en">{told}</span>'
    assert error_words("<b> (round/states)", 3).endswith(">&lt;b…</span>")


def test_every_rule_by_which_an_event_can_be_refused_has_words() -> None:
    folder = Path(tables.__file__).parent
    modules = [*folder.glob("feed/*.py"), *folder.glob("services/*.py")]
    source = "".join(path.read_text(encoding="utf-8") for path in modules)
    refusing = re.findall(r'PlayRefused\(\s*"[^"]+",\s*f?"(?:\{[^}]*\}/)?([a-z/-]+)"', source)
    assert len(refusing) > 20
    assert [
        rule for rule in {*refusing, "feed/clock", "feed/format", "feed/size"} if not rule_words(rule)
    ] == []
